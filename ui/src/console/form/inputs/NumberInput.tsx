// A whole number with its unit and its meaning, or a percentage.
import { secondsText } from "../../../model/format";
import { Field, Input } from "../../../parts/Field";
import type { NumberField, ShareField } from "../field";
import type { InputProps } from "../FieldInput";
import styles from "./inputs.module.css";

export function NumberInput({
  field,
  value,
  mistake,
  onChange,
}: InputProps<NumberField | ShareField, string>) {
  const isShare = field.kind === "share";
  const meaning = isShare || value.trim() === "" || mistake !== null ? null : meaningOf(field, Number(value));
  return (
    <Field label={field.label} mistake={mistake} hint={field.help}>
      <span className={styles.measured}>
        <Input
          inputMode={isShare ? "decimal" : "numeric"}
          autoComplete="off"
          aria-required={field.required}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
        <span className={styles.unit}>
          {isShare ? "%" : field.unit}
          {meaning && <em> = {meaning}</em>}
        </span>
      </span>
    </Field>
  );
}

function meaningOf({ means, unit }: NumberField, value: number): string | null {
  const special = means?.[value];
  if (special !== undefined) return special;
  const words = unit === "seconds" ? secondsText(value) : "second";
  return words.includes("second") ? null : words;
}
