// The backend of a new route.
import { backend } from "../modules/backend";
import type { ReferenceField } from "../modules/descriptor";
import { ReferenceInput } from "../modules/inputs/ReferenceInput";
import type { Field, InputProps } from "../resource/field";

const chosen = { ...(backend.fields[0] as ReferenceField), required: false };

const field: Field<string> = {
  name: "backend",
  label: backend.label,
  read: () => "",
  initial: () => "",
  write: (id) => (id === "" ? undefined : { backend_id: id }),
  check: () => null,
  Input: BackendInput,
};

export const backendField: Field = field;

function BackendInput({ value, mistake, onChange }: InputProps<string>) {
  return <ReferenceInput field={chosen} value={value} mistake={mistake} onChange={onChange} />;
}
