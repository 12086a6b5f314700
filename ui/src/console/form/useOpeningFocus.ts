// Where the focus is when a form opens: in its first field that is filled in by typing or from a list.
import { useEffect, useRef, type RefObject } from "react";
import { MAX_RADIO_OPTIONS, type Field } from "./field";
import { focusField } from "./focusField";

/** Radio buttons and checkboxes have a usual value, and the backends of a combination are loaded first. */
function isAsked({ advanced, ...field }: Field): boolean {
  if (advanced || field.kind === "flag" || field.kind === "weights" || field.kind === "order") return false;
  return field.kind !== "choice" || field.options.length > MAX_RADIO_OPTIONS;
}

export const firstAsked = (fields: readonly Field[]): Field | undefined => fields.find(isAsked);

/** Without a field the focus stays where it is. */
export function useOpeningFocus(
  element: RefObject<HTMLFormElement | null>,
  field: Pick<Field, "name"> | undefined,
): void {
  const first = useRef(field);
  useEffect(() => {
    // After the shell, which moves the focus to the new page.
    const frame = requestAnimationFrame(() => focusField(element.current, first.current));
    return () => cancelAnimationFrame(frame);
  }, [element]);
}
