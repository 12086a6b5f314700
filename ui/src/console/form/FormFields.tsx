// The fields of a form in their order; those that most users leave alone are folded away.
import { useEffect, type ReactNode } from "react";
import { afterPointer, watchPointers } from "../../parts/afterPointer";
import type { Field, Value } from "./field";
import { FieldInput } from "./FieldInput";
import styles from "./form.module.css";

/** The parts of a form's state that its fields need. */
export interface FieldsState {
  fields: readonly Field[];
  tried: boolean;
  mistakes: Readonly<Record<string, string>>;
  valueOf(field: Field): Value;
  mistakeOf(field: Field): string | null;
  touch(name: string): void;
  change(name: string, value: Value): void;
}

interface FormFieldsProps {
  state: FieldsState;
  /** Renders a field in another way; null for the usual one. */
  renderField?: (field: Field) => ReactNode;
}

export function FormFields({ state, renderField }: FormFieldsProps) {
  const { fields, tried, mistakes } = state;
  useEffect(watchPointers, []);
  const more = fields.filter((field) => field.advanced);
  const input = (field: Field) => (
    <div key={field.name} data-field={field.name} onBlur={() => afterPointer(() => state.touch(field.name))}>
      {renderField?.(field) ?? (
        <FieldInput
          field={field}
          value={state.valueOf(field)}
          mistake={state.mistakeOf(field)}
          onChange={(value) => state.change(field.name, value)}
        />
      )}
    </div>
  );
  return (
    <>
      {fields.filter((field) => !field.advanced).map(input)}
      {more.length > 0 && (
        <details
          className={styles.more}
          open={more.some(({ name }) => tried && mistakes[name] !== undefined) || undefined}
        >
          <summary>More settings</summary>
          <div className={styles.inner}>{more.map(input)}</div>
        </details>
      )}
    </>
  );
}
