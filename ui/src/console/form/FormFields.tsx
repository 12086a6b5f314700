// The fields of a form in their order; those that most users leave alone are folded away.
import type { Field } from "./field";
import { FieldInput } from "./FieldInput";
import type { FormState } from "./useForm";
import styles from "./form.module.css";

export function FormFields({ state }: { state: FormState }) {
  const { fields, tried, mistakes } = state;
  const more = fields.filter((field) => field.advanced);
  const input = (field: Field) => (
    <div key={field.name} data-field={field.name} onBlur={() => state.touch(field.name)}>
      <FieldInput
        field={field}
        value={state.valueOf(field)}
        mistake={state.mistakeOf(field)}
        onChange={(value) => state.change(field.name, value)}
      />
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
