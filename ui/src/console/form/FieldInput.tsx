// The input of a field, by the kind of the field.
import { Check } from "../../parts/Check";
import type { Field, Value } from "./field";
import { ChoiceInput } from "./inputs/ChoiceInput";
import { OrderInput, WeightsInput } from "./inputs/CombinationInputs";
import { ListInput } from "./inputs/ListInput";
import { NumberInput } from "./inputs/NumberInput";
import { ReferenceInput, ReferencesInput } from "./inputs/ReferenceInputs";
import { RowsInput } from "./inputs/RowsInput";
import { DocumentInput, TextInput } from "./inputs/TextInputs";
import { rowsOf, textOf, textsOf } from "./values";

export interface InputProps<F extends Field, V extends Value> {
  field: F;
  value: V;
  /** The mistake in the value, if it is to be shown. */
  mistake: string | null;
  onChange(value: V): void;
}

export function FieldInput({ field, value, mistake, onChange }: InputProps<Field, Value>) {
  const shared = { mistake, onChange };
  switch (field.kind) {
    case "text":
    case "secret":
      return <TextInput field={field} value={textOf(value)} {...shared} />;
    case "document":
      return <DocumentInput field={field} value={textOf(value)} {...shared} />;
    case "number":
    case "share":
      return <NumberInput field={field} value={textOf(value)} {...shared} />;
    case "flag":
      return <Check label={field.label} hint={field.help} checked={value === true} onChange={onChange} />;
    case "choice":
      return <ChoiceInput field={field} value={textOf(value)} {...shared} />;
    case "list":
      return <ListInput field={field} value={textsOf(value)} {...shared} />;
    case "rows":
      return <RowsInput field={field} value={rowsOf(value)} {...shared} />;
    case "reference":
      return <ReferenceInput field={field} value={textOf(value)} {...shared} />;
    case "references":
      return <ReferencesInput field={field} value={textsOf(value)} {...shared} />;
    case "weights":
      return <WeightsInput field={field} value={rowsOf(value)} {...shared} />;
    case "order":
      return <OrderInput field={field} value={textsOf(value)} {...shared} />;
  }
}
