// TLS certificates: uploaded ones, and those that the server obtained itself.
import type { TlsCertificate } from "../../api/generated";
import { expiryTone } from "../overview/remarks";
import { exactly, Mono, None } from "../resource/cells";
import { description, metadata } from "../form/fields";
import { describe, descriptionColumn, idColumn, metadataColumn } from "../resource/kind";
import { Expiry } from "./Expiry";
import { CertificateDetails } from "./CertificateDetails";
import { unnamed } from "../../model/ids";

export const tlsCertificates = describe("/tls_certificates", {
  singular: "TLS certificate",
  plural: "TLS certificates",
  about: "Certificate chains with their private keys, served to visitors of the names in them.",
  title: (certificate) => namesOf(certificate)[0] ?? (certificate.description || unnamed(certificate.id)),
  columns: [
    { name: "names", label: "Names", text: (certificate) => namesOf(certificate).join(", ") },
    {
      name: "not_after",
      label: "Expires",
      text: (certificate) => certificate.not_after,
      cell: ({ not_after, issued_at }) => <Expiry at={not_after} renewed={issued_at !== null} />,
    },
    { name: "issuer", label: "Issuer", text: (certificate) => certificate.issuer_common_name },
    { name: "key", label: "Key", text: (certificate) => certificate.private_key_type.toUpperCase() },
    descriptionColumn,
    {
      name: "serial",
      label: "Serial number",
      text: (certificate) => certificate.serial_number,
      mono: true,
      hidden: true,
    },
    idColumn,
    metadataColumn,
  ],
  fields: [description(), metadata],
  empty: {
    sentence:
      "No certificate is uploaded. Names without one are served with a certificate of this server's own authority, which browsers trust only where it is installed.",
    command: "postern api tls-certificates create --certificate-pem @chain.pem --private-key-pem @key.pem",
  },
  deletion: ({ not_after }) =>
    expiryTone(not_after, Date.now()) === "bad"
      ? "It has expired and is no longer served."
      : "Its names are served with another certificate that is valid for them, or with one of this server's own authority. New connections use it immediately.",
  touches: ["/status", "/reserved_domains"],
  facts: (certificate) => [
    { label: "Names", value: namesOf(certificate).join(", ") || <None>none</None> },
    { label: "Validity", value: `${exactly(certificate.not_before)} – ${exactly(certificate.not_after)}` },
    {
      label: "Expires",
      value: <Expiry at={certificate.not_after} renewed={certificate.issued_at !== null} />,
    },
    { label: "Issuer", value: certificate.issuer_common_name || <None>without a name</None> },
    { label: "Key", value: certificate.private_key_type.toUpperCase() },
    { label: "Serial number", value: <Mono>{certificate.serial_number}</Mono> },
    { label: "Origin", value: certificate.issued_at ? "obtained by this server (ACME)" : "uploaded" },
  ],
  More: CertificateDetails,
});

export function namesOf({
  subject_alternative_names: { dns_names, ips },
  subject_common_name,
}: TlsCertificate): string[] {
  const names = [...dns_names, ...ips];
  return names.length > 0 ? names : [subject_common_name].filter(Boolean);
}
