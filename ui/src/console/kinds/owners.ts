// The possible owners of a record: users and bot users, as far as the key may read them.
import type { BotUser, User } from "../../api/generated";
import { ref } from "../resource/fields/references";
import type { Field } from "../resource/field";
import type { ReferencedKind } from "../resource/fields/choices";

const named = (record: object): string => (record as User | BotUser).name;

const OWNERS: readonly ReferencedKind[] = [
  { path: "/users", member: "users", singular: "user", title: named },
  { path: "/bot_users", member: "bot_users", singular: "bot user", title: named },
];

export const ownerField = (help: string): Field =>
  ref({
    name: "owner_id",
    label: "Owner",
    help,
    kinds: OWNERS,
    none: "The owner of this key",
    createOnly: true,
  });
