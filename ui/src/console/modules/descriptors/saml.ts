// Visitors log in with the identity provider of an organization.
import { textOf, textsOf } from "../../form/values";
import type { ModuleDescriptor } from "../descriptor";
import { missingInMetadata } from "../samlMetadata";
import { SESSION, NO_LOGIN_EFFECT, groups, sessionText } from "../session";

const FORMATS: readonly [urn: string, label: string][] = [
  ["urn:oasis:names:tc:SAML:2.0:nameid-format:persistent", "Persistent"],
  ["urn:oasis:names:tc:SAML:2.0:nameid-format:transient", "Transient"],
  ["urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress", "E-mail address"],
  ["urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified", "Unspecified"],
];

export const saml: ModuleDescriptor = {
  name: "saml",
  label: "SAML login",
  about: "Admits visitors who log in at the identity provider of an organization.",
  owners: ["https_route"],
  stage: 100,
  isLogin: true,
  trace: "login",
  without: `${NO_LOGIN_EFFECT} The key that signs requests is deleted, so the identity provider must be configured again.`,
  fields: [
    {
      kind: "document",
      name: "idp_metadata",
      label: "Metadata of the identity provider",
      help: "The whole XML, pasted or from a file. Save <EntityDescriptor/> first to get the values for the provider.",
      initial: "<EntityDescriptor/>",
      maxLength: 131_072,
      required: true,
    },
    {
      kind: "list",
      name: "authorized_groups",
      label: "Allowed groups",
      help: "Values of the attribute “groups”. If empty, everyone with a login at the provider is admitted.",
      maxItems: 100,
      maxLength: 256,
    },
    {
      kind: "choice",
      name: "nameid_format",
      label: "Name ID format",
      initial: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
      options: FORMATS.map(([value, label]) => ({ value, label })),
    },
    {
      kind: "flag",
      name: "force_authn",
      label: "Ask for the password at every login",
      help: "Even if the visitor is still logged in at the provider.",
      initial: false,
    },
    {
      kind: "flag",
      name: "allow_idp_initiated",
      label: "Logins may start at the identity provider",
      help: "From its page of apps; RelayState is then an address of this edge.",
      initial: true,
    },
    ...SESSION,
  ],
  summary(view) {
    const named = textsOf(view["authorized_groups"]).length;
    const who = named > 0 ? `members of ${groups(named)}` : "everyone with a login";
    const lacking = missingInMetadata(textOf(view["idp_metadata"]));
    return lacking === null
      ? `${who}, ${sessionText(view)}`
      : "no visitor is admitted yet: the metadata is incomplete";
  },
  warnings(draft) {
    const lacking = missingInMetadata(textOf(draft["idp_metadata"]));
    return lacking === null ? [] : [`No visitor can log in with this metadata: ${lacking}.`];
  },
};

export default [saml];
