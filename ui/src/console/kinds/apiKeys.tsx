// Keys of the management API.
import { description, metadata } from "../form/fields";
import { describe, descriptionColumn, idColumn, metadataColumn, titleOf } from "../resource/kind";
import { created, owner } from "./columns";
import { ownerField } from "./owners";
import { roleOfKey, roleOfKeyColumn } from "./roles";

export const apiKeys = describe("/api_keys", {
  singular: "API key",
  plural: "API keys",
  about: "Keys of the management API and of this console. A key has its owner's rights, or fewer.",
  title: titleOf,
  columns: [descriptionColumn, owner, roleOfKeyColumn, idColumn, created, metadataColumn],
  fields: [
    description("The person or program that uses it."),
    ownerField("Only administrators may choose another owner."),
    roleOfKey,
    metadata,
  ],
  empty: { sentence: "There is no API key that your key may read." },
  deletion: () => "Its users are refused from the next request on; that may include this console.",
});
