// The owner of a record: a user or bot user, as far as the key may read them.
import type { ReferenceField } from "../form/field";
import { OWNERS } from "./references";

export const ownerField = (help: string): ReferenceField => ({
  kind: "reference",
  name: "owner_id",
  label: "Owner",
  help,
  of: OWNERS,
  none: "The owner of this key",
  createOnly: true,
});
