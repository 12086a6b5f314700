// Moves the focus to the input of a field, where the user has something to correct.
import type { Field } from "./field";

export function focusField(form: HTMLFormElement | null, field: Pick<Field, "name"> | undefined): void {
  const place = field && form?.querySelector<HTMLElement>(`[data-field="${CSS.escape(field.name)}"]`);
  place?.closest("details")?.setAttribute("open", "");
  place?.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
}
