// A choice of several options.
import { Choice } from "../../../parts/Choice";
import { Field } from "../../../parts/Field";
import { Select } from "../../../parts/Select";
import { MAX_RADIO_OPTIONS, type ChoiceField } from "../field";
import type { InputProps } from "../FieldInput";

export function ChoiceInput({ field, value, mistake, onChange }: InputProps<ChoiceField, string>) {
  const { label, help, required } = field;
  const isKnown = value === "" || field.options.some((option) => option.value === value);
  // A value set by another program is kept until the user chooses one.
  const options = isKnown ? field.options : [{ value, label: value }, ...field.options];
  if (options.length <= MAX_RADIO_OPTIONS)
    return (
      <Choice
        legend={label}
        hint={help}
        isList={options.some((option) => option.note !== undefined)}
        value={value}
        options={options}
        onChange={onChange}
      />
    );
  return (
    <Field label={label} mistake={mistake} hint={help}>
      <Select value={value} options={options} required={required} onChange={onChange} />
    </Field>
  );
}
