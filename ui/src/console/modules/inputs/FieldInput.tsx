// The input of a module's field, by the kind of the field.
import { Check, Choice, Field as Labelled } from "../../../parts/Field";
import type { ChoiceField, Field, NumberField, Pair, ShareField, Value } from "../descriptor";
import { seconds } from "../texts";
import { DocumentInput, ListInput, SecretInput, TextInput } from "./TextInputs";
import { HeadersInput } from "./HeadersInput";
import { ReferenceInput, ReferencesInput } from "./ReferenceInput";
import styles from "./inputs.module.css";

export interface InputProps<F extends Field, V extends Value> {
  field: F;
  value: V;
  mistake: string | null;
  onChange(value: V): void;
}

export function FieldInput({ field, value, mistake, onChange }: InputProps<Field, Value>) {
  const given = { mistake, onChange };
  switch (field.kind) {
    case "text":
      return <TextInput field={field} value={String(value)} {...given} />;
    case "secret":
      return <SecretInput field={field} value={String(value)} {...given} />;
    case "document":
      return <DocumentInput field={field} value={String(value)} {...given} />;
    case "number":
      return <NumberInput field={field} value={String(value)} {...given} />;
    case "share":
      return <ShareInput field={field} value={String(value)} {...given} />;
    case "switch":
      return (
        <Check
          label={field.label}
          checked={value === true}
          onChange={onChange}
          {...(field.help ? { hint: field.help } : {})}
        />
      );
    case "choice":
    case "search":
      return <ChoiceInput field={field} value={String(value)} {...given} />;
    case "list":
      return <ListInput field={field} value={value as readonly string[]} {...given} />;
    case "headers":
      return <HeadersInput field={field} value={value as readonly Pair[]} {...given} />;
    case "reference":
      return <ReferenceInput field={field} value={String(value)} {...given} />;
    case "references":
      return <ReferencesInput field={field} value={value as readonly string[]} {...given} />;
  }
}

/** Few options are radio buttons, many are a searchable list. */
const MAX_RADIO_OPTIONS = 4;

function ChoiceInput({ field, value, mistake, onChange }: InputProps<ChoiceField, string>) {
  const known = field.options.some((option) => option.value === value);
  // A value set by another program is kept until the user chooses one.
  const options = known || value === "" ? field.options : [{ value, label: value }, ...field.options];
  if (options.length <= MAX_RADIO_OPTIONS && field.kind === "choice")
    return (
      <Choice
        legend={field.label}
        value={value}
        options={options}
        onChange={onChange}
        {...(field.help ? { hint: field.help } : {})}
      />
    );
  return (
    <Labelled label={field.label} mistake={mistake} {...(field.help ? { hint: field.help } : {})}>
      {(inputProps) => (
        <select {...inputProps} value={value} onChange={(event) => onChange(event.target.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

function NumberInput({ field, value, mistake, onChange }: InputProps<NumberField, string>) {
  const number = Number(value);
  const meant = value.trim() === "" || mistake !== null ? undefined : meaning(field, number);
  return (
    <Labelled label={field.label} mistake={mistake} {...(field.help ? { hint: field.help } : {})}>
      {(inputProps) => (
        <span className={styles.measured}>
          <input
            {...inputProps}
            inputMode="numeric"
            autoComplete="off"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <span className={styles.unit}>
            {field.unit}
            {meant && <em> = {meant}</em>}
          </span>
        </span>
      )}
    </Labelled>
  );
}

function meaning(field: NumberField, value: number): string | undefined {
  const special = field.means?.[value];
  if (special !== undefined || field.unit !== "seconds") return special;
  const words = seconds(value);
  return words.includes("second") ? undefined : words;
}

function ShareInput({ field, value, mistake, onChange }: InputProps<ShareField, string>) {
  return (
    <Labelled label={field.label} mistake={mistake} {...(field.help ? { hint: field.help } : {})}>
      {(inputProps) => (
        <span className={styles.measured}>
          <input
            {...inputProps}
            inputMode="decimal"
            autoComplete="off"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <span className={styles.unit}>%</span>
        </span>
      )}
    </Labelled>
  );
}
