// The possible owners of a record: users and bot users, as far as the key may read them.
import type { BotUser, User } from "../../api/generated";
import { collection } from "../../api/management";
import { ref } from "../resource/fields/references";
import type { Field } from "../resource/field";

const named = { title: ({ name }: User | BotUser): string => name };

const OWNERS = [
  { ...collection("/users"), singular: "user", ...named },
  { ...collection("/bot_users"), singular: "bot user", ...named },
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
