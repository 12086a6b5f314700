// Keys of the management API.
import type { ApiKey } from "../../api/generated";
import { description, metadata } from "../resource/fields/text";
import { describe, descriptionColumn, idColumn, metadataColumn, titleOf } from "../resource/kind";
import { created, owner } from "./columns";
import { ownerField } from "./owners";

export const apiKeys = describe<ApiKey>({
  path: "/api_keys",
  member: "keys",
  prefix: "ak",
  one: "API key",
  many: "API keys",
  about: "Keys of the management API and of this console. A key may do what its owner may do.",
  title: titleOf,
  columns: [descriptionColumn, owner, idColumn, created, metadataColumn],
  fields: [
    description("Who or what uses it."),
    ownerField("Only administrators may name somebody else."),
    metadata(),
  ],
  empty: { sentence: "There is no key that this one may see." },
  deletion: () => "Whoever uses it is refused from the next request on; that may be this console itself.",
});
