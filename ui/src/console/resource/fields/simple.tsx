// A checkbox, a choice of several options, a number.
import { Check, Choice, Field as Labelled } from "../../../parts/Field";
import { memberOf, type Field, type InputProps } from "../field";

interface Common {
  name: string;
  label: string;
  help?: string;
  createOnly?: boolean;
  shown?: Field["shown"];
}

const common = ({ name, label, help, createOnly, shown }: Common) => ({
  name,
  label,
  ...(help ? { help } : {}),
  ...(createOnly ? { createOnly } : {}),
  ...(shown ? { shown } : {}),
});

export function flag(options: Common & { initial: boolean }): Field {
  const field: Field<boolean> = {
    ...common(options),
    read: (record) => memberOf(record, options.name) === true,
    initial: () => options.initial,
    write: (value) => value,
    check: () => null,
    Input: FlagInput,
  };
  return field;
}

function FlagInput({ field, value, onChange }: InputProps<boolean>) {
  return (
    <Check
      label={field.label}
      checked={value}
      onChange={onChange}
      {...(field.help ? { hint: field.help } : {})}
    />
  );
}

interface ChoiceOptions extends Common {
  options: readonly { value: string; label: string }[];
  initial?: string;
}

interface ChoiceField extends Field<string> {
  options: ChoiceOptions["options"];
}

export function choice(options: ChoiceOptions): Field {
  const field: ChoiceField = {
    ...common(options),
    options: options.options,
    read: (record) => String(memberOf(record, options.name) ?? ""),
    initial: () => options.initial ?? options.options[0]?.value ?? "",
    write: (value) => value,
    check: () => null,
    Input: ChoiceInput,
  };
  return field;
}

function ChoiceInput({ field, value, onChange }: InputProps<string>) {
  return (
    <Choice
      legend={field.label}
      value={value}
      options={(field as ChoiceField).options}
      onChange={onChange}
      {...(field.help ? { hint: field.help } : {})}
    />
  );
}

interface NumberOptions extends Common {
  min: number;
  max: number;
  initial?: number;
  required?: boolean;
  unit?: string;
  whole?: boolean;
}

interface NumberField extends Field<string> {
  options: NumberOptions;
}

export function number(options: NumberOptions): Field {
  const { min, max, whole = true, required } = options;
  const field: NumberField = {
    ...common(options),
    options,
    read: (record) => String(memberOf(record, options.name) ?? ""),
    initial: () => (options.initial === undefined ? "" : String(options.initial)),
    write: (value) => (value.trim() === "" ? undefined : Number(value)),
    check: (value) => {
      if (value.trim() === "") return required ? `${options.label} is required.` : null;
      const read = Number(value);
      const fits = Number.isFinite(read) && (!whole || Number.isInteger(read)) && read >= min && read <= max;
      return fits ? null : `Enter a ${whole ? "whole " : ""}number from ${min} to ${max}.`;
    },
    Input: NumberInput,
  };
  return field;
}

function NumberInput({ field, value, onChange, mistake }: InputProps<string>) {
  const { unit, required } = (field as NumberField).options;
  return (
    <Labelled
      label={unit ? `${field.label} (${unit})` : field.label}
      mistake={mistake}
      {...(field.help ? { hint: field.help } : {})}
    >
      {(inputProps) => (
        <input
          {...inputProps}
          inputMode="decimal"
          value={value}
          aria-required={required}
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Labelled>
  );
}
