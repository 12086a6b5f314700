// Names and addresses reserved for their owners.
import { Mono, RefLink } from "../resource/cells";
import { description, metadata } from "../form/fields";
import { idOf } from "../form/values";
import { describe, descriptionColumn, idColumn, metadataColumn } from "../resource/kind";
import { created, owner } from "./columns";
import { DomainDetails } from "./DomainDetails";
import { ownerField } from "./owners";
import { TLS_CERTIFICATES } from "./references";

const NAME = /^(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

/** The API's rule for a host name; the first label may be `*`. */
export function domainMistake(value: string): string | null {
  if (value === "*") return "A wildcard needs a name after it, such as *.example.com.";
  return NAME.test(value)
    ? null
    : "Use letters, digits and hyphens, with dots between the parts; the first part may be *.";
}

export const reservedDomains = describe("/reserved_domains", {
  singular: "reserved domain",
  plural: "Reserved domains",
  about: "Host names that only agents and edges of their owner may use.",
  title: ({ domain }) => domain,
  columns: [
    { name: "domain", label: "Domain", text: ({ domain }) => domain },
    {
      name: "cname_target",
      label: "CNAME target",
      text: (reserved) => reserved.cname_target ?? "",
      cell: (reserved) =>
        reserved.cname_target === null ? "not needed" : <Mono>{reserved.cname_target}</Mono>,
    },
    {
      name: "certificate",
      label: "Certificate",
      text: (reserved) =>
        reserved.certificate?.id ??
        (reserved.certificate_management_policy ? "obtained by the server" : "the server's own"),
      cell: (reserved) =>
        reserved.certificate ? (
          <RefLink id={reserved.certificate.id} />
        ) : reserved.certificate_management_policy ? (
          "obtained by the server"
        ) : (
          "the server's own"
        ),
    },
    owner,
    descriptionColumn,
    idColumn,
    created,
    metadataColumn,
  ],
  fields: [
    {
      kind: "text",
      name: "domain",
      label: "Domain",
      help: "A full name, or one label under the server's domain. If empty, a free name is chosen.",
      placeholder: "shop.example.com",
      maxBytes: 253,
      createOnly: true,
      check: domainMistake,
    },
    {
      kind: "reference",
      name: "certificate_id",
      label: "Certificate",
      help: "The certificate served for this name.",
      of: [TLS_CERTIFICATES],
      none: "The server's own, or one that it obtains",
      read: ({ certificate }) => idOf(certificate),
    },
    ownerField("The user whose agents may bind it."),
    description(),
    metadata,
  ],
  facts: (reserved) => [
    { label: "Owner", value: <RefLink id={reserved.owner_id} /> },
    {
      label: "CNAME target",
      value: reserved.cname_target === null ? "not needed" : <Mono>{reserved.cname_target}</Mono>,
    },
  ],
  empty: {
    sentence:
      "No name is reserved. Free names can be used without a reservation; a reserved one is never available to others.",
    command: "postern http --domain shop 8080",
  },
  deletion: () => "The name becomes available to everyone. It cannot be deleted while an edge uses it.",
  More: DomainDetails,
});

export const reservedAddresses = describe("/reserved_addrs", {
  singular: "reserved address",
  plural: "Reserved addresses",
  about: "TCP addresses that only agents and edges of their owner may use.",
  title: ({ addr }) => addr,
  columns: [
    { name: "addr", label: "Address", text: ({ addr }) => addr, mono: true },
    owner,
    descriptionColumn,
    idColumn,
    created,
    metadataColumn,
  ],
  fields: [
    {
      kind: "text",
      name: "addr",
      label: "Address",
      help: "A specific address of this server. If empty, a free one is chosen.",
      placeholder: "localhost:24010",
      createOnly: true,
      mono: true,
      check: (value) => (/^\S+:\d{1,5}$/.test(value) ? null : "Enter a host, a colon and a port."),
    },
    ownerField("The user whose agents may bind it."),
    description(),
    metadata,
  ],
  empty: {
    sentence: "No address is reserved. Reserve one for a host and port that do not change.",
    command: "postern tcp --remote-addr localhost:24010 22",
  },
  deletion: () => "The address becomes available to everyone. It cannot be deleted while an edge uses it.",
});
