// A choice of several options.
import { Choice, Field } from "../../../parts/Field";
import type { ChoiceField } from "../field";
import type { InputProps } from "../FieldInput";

/** Few options are radio buttons, many are a list. */
const MAX_RADIO_OPTIONS = 4;

export function ChoiceInput({ field, value, mistake, onChange }: InputProps<ChoiceField, string>) {
  const { label, help } = field;
  const isKnown = value === "" || field.options.some((option) => option.value === value);
  // A value set by another program is kept until the user chooses one.
  const options = isKnown ? field.options : [{ value, label: value }, ...field.options];
  if (options.length <= MAX_RADIO_OPTIONS)
    return <Choice legend={label} hint={help} value={value} options={options} onChange={onChange} />;
  return (
    <Field label={label} mistake={mistake} hint={help}>
      {(inputProps) => (
        <select {...inputProps} value={value} onChange={(event) => onChange(event.target.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
