// Visitors log in with the identity provider of an organization.
import type { ModuleDescriptor } from "./descriptor";
import { missing } from "./samlMetadata";
import { SESSION, WITHOUT_LOGIN, groups, lasting } from "./session";
import { textOf, textsOf } from "./words";

const FORMATS: readonly [urn: string, label: string][] = [
  ["urn:oasis:names:tc:SAML:2.0:nameid-format:persistent", "Persistent"],
  ["urn:oasis:names:tc:SAML:2.0:nameid-format:transient", "Transient"],
  ["urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress", "E-mail address"],
  ["urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified", "Unspecified"],
];

export const saml: ModuleDescriptor = {
  name: "saml",
  label: "SAML login",
  about: "Lets in whom the identity provider of an organization vouches for.",
  owners: ["https_route"],
  trace: "login",
  without: `${WITHOUT_LOGIN} The key that signs requests is gone, so the identity provider must be told anew.`,
  fields: [
    {
      kind: "document",
      name: "idp_metadata",
      label: "Metadata of the identity provider",
      help: "The whole XML, pasted or from a file. Save <EntityDescriptor/> first to learn what the provider must be told.",
      value: "<EntityDescriptor/>",
      longest: 131_072,
      required: true,
    },
    {
      kind: "list",
      name: "authorized_groups",
      label: "Groups whose members may come in",
      help: "Values of the attribute “groups”. Empty: everybody the provider vouches for.",
      most: 100,
      longest: 256,
    },
    {
      kind: "choice",
      name: "nameid_format",
      label: "How the provider names people",
      value: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
      options: FORMATS.map(([value, label]) => ({ value, label })),
    },
    {
      kind: "switch",
      name: "force_authn",
      label: "Ask for the password at every login",
      help: "Even if the provider still knows the browser.",
      value: false,
    },
    {
      kind: "switch",
      name: "allow_idp_initiated",
      label: "Logins may begin at the identity provider",
      help: "From its page of apps; RelayState is then an address of this edge.",
      value: true,
    },
    ...SESSION,
  ],
  summary(view) {
    const named = textsOf(view["authorized_groups"]).length;
    const who = named > 0 ? `members of ${groups(named)}` : "everybody it vouches for";
    const lacking = missing(textOf(view["idp_metadata"]));
    return lacking === null ? `${who}, ${lasting(view)}` : "nobody comes in yet: the metadata is incomplete";
  },
  warnings(draft) {
    const lacking = missing(textOf(draft["idp_metadata"]));
    return lacking === null ? [] : [`Nobody comes in with this metadata: ${lacking}.`];
  },
};
