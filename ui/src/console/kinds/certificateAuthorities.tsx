// Certificate authorities for the client certificates of visitors.
import { exactly, Moment } from "../resource/cells";
import { description, metadata } from "../form/fields";
import { describe, descriptionColumn, idColumn, metadataColumn } from "../resource/kind";
import { created } from "./columns";
import { CERTIFICATE_AUTHORITIES } from "./references";

/** Checks the format; the server parses the rest. */
export function pemMistake(value: string): string | null {
  const count = value.match(/-----BEGIN CERTIFICATE-----/g)?.length ?? 0;
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(value))
    return "This is a private key. Keep it secret and paste the authority's certificate.";
  if (count === 0) return "Paste a certificate that begins with -----BEGIN CERTIFICATE-----.";
  if (count > 1) return `This text contains ${count} certificates; exactly one is needed.`;
  return value.includes("-----END CERTIFICATE-----")
    ? null
    : "The last line, -----END CERTIFICATE-----, is missing.";
}

const KEY_USAGES = new Map([
  ["DigitalSignature", "digital signature"],
  ["ContentCommitment", "content commitment"],
  ["KeyEncipherment", "key encipherment"],
  ["DataEncipherment", "data encipherment"],
  ["KeyAgreement", "key agreement"],
  ["CertSign", "certificate signing"],
  ["CRLSign", "CRL signing"],
  ["EncipherOnly", "encipher only"],
  ["DecipherOnly", "decipher only"],
]);

/** The API's name of a key usage in words. */
const keyUsage = (name: string): string => KEY_USAGES.get(name) ?? name;

export const certificateAuthorities = describe("/certificate_authorities", {
  singular: "certificate authority",
  plural: "Certificate authorities",
  about: "Authorities of the client certificates that edges with mutual TLS require.",
  title: CERTIFICATE_AUTHORITIES.title,
  columns: [
    { name: "subject_common_name", label: "Common name", text: (authority) => authority.subject_common_name },
    {
      name: "not_after",
      label: "Expires",
      text: (authority) => authority.not_after,
      cell: (authority) => <Moment at={authority.not_after} upcoming />,
    },
    descriptionColumn,
    idColumn,
    created,
    metadataColumn,
  ],
  fields: [
    {
      kind: "text",
      name: "ca_pem",
      label: "Certificate",
      help: "The authority's own certificate, in PEM format, without its key.",
      placeholder: "-----BEGIN CERTIFICATE-----",
      rows: 8,
      required: true,
      createOnly: true,
      check: pemMistake,
    },
    description(),
    metadata,
  ],
  facts: (authority) => [
    { label: "Common name", value: authority.subject_common_name || "none" },
    { label: "Validity", value: `${exactly(authority.not_before)} – ${exactly(authority.not_after)}` },
    { label: "Key usage", value: authority.key_usages.map(keyUsage).join(", ") || "not specified" },
  ],
  dependents: true,
  empty: {
    sentence: "There is no certificate authority. Add the one that issued your visitors' certificates.",
  },
  touches: ["/edges/https", "/edges/tls"],
});
