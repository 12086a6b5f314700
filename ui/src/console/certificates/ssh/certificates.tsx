// Certificates of SSH hosts and users: signed once, then offered as files and lines to copy.
import type { SshHostCertificate, SshUserCertificate } from "../../../api/generated";
import { collection } from "../../../api/management";
import { recordQuery, useApiQuery } from "../../management";
import { exactly, None, RefLink } from "../../resource/cells";
import { unnamed } from "../../../model/ids";
import { description, metadata } from "../../form/fields";
import { describe, descriptionColumn, idColumn, metadataColumn, type Column } from "../../resource/kind";
import { Section } from "../../resource/PageFrame";
import { Expiry } from "../Expiry";
import { authority, lifetime, options, principals, publicKey } from "./fields";
import { hostInstructions, userInstructions, type InstructionText } from "./instructions";
import { Instructions } from "./Instructions";

type SshCertificate = SshHostCertificate | SshUserCertificate;

const DAY = 24;
const YEAR = 365 * DAY;

const principalsColumn = (label: string, none: string): Column<SshCertificate> => ({
  name: "principals",
  label,
  text: (certificate) => certificate.principals.join(", ") || none,
});

const commonColumns: readonly Column<SshCertificate>[] = [
  {
    name: "valid_until",
    label: "Expires",
    text: (certificate) => certificate.valid_until,
    cell: (certificate) => <Expiry at={certificate.valid_until} />,
  },
  { name: "key_type", label: "Key", text: (certificate) => certificate.key_type },
  descriptionColumn,
  idColumn,
  metadataColumn,
];

const titleOf = ({ principals: names, description: words, id }: SshCertificate): string =>
  words || names.join(", ") || unnamed(id);

const facts = (certificate: SshCertificate, label: string, none: string) => [
  { label, value: certificate.principals.join(", ") || <None>{none}</None> },
  { label: "Validity", value: `${exactly(certificate.valid_after)} – ${exactly(certificate.valid_until)}` },
  { label: "Expires", value: <Expiry at={certificate.valid_until} /> },
  { label: "SSH authority", value: <RefLink id={certificate.ssh_certificate_authority_id} /> },
];

const DELETION =
  "It only disappears from this list: a signed certificate remains valid until it expires, wherever it is stored.";

/** The instructions contain the authority's public key; the authority may have been deleted. */
function Result({
  certificate,
  pastes,
}: {
  certificate: SshCertificate;
  pastes(authority: string | null): InstructionText[];
}) {
  const query = useApiQuery(
    recordQuery(collection("/ssh_certificate_authorities"), certificate.ssh_certificate_authority_id),
  );
  if (query.isPending) return null;
  return (
    <Section title="How to use it">
      <Instructions pastes={pastes(query.data?.public_key ?? null)} />
    </Section>
  );
}

const EVERY_HOST = "every host";

export const sshHostCertificates = describe("/ssh_host_certificates", {
  singular: "SSH host certificate",
  plural: "SSH host certificates",
  about: "Identify hosts to everyone who trusts the authority.",
  title: titleOf,
  columns: [principalsColumn("Hosts", EVERY_HOST), ...commonColumns],
  fields: [
    authority,
    publicKey("the host's"),
    principals({
      label: "Host names and addresses",
      help: "As typed after “ssh”.",
      placeholder: "git.example.com",
      emptyWarning:
        "Without a name the certificate is valid for every host: anyone with this host's key can impersonate any of them.",
    }),
    lifetime([
      { label: "30 days", hours: 30 * DAY },
      { label: "90 days", hours: 90 * DAY },
      { label: "1 year", hours: YEAR, usual: true },
      { label: "5 years", hours: 5 * YEAR },
    ]),
    description(),
    metadata,
  ],
  empty: {
    sentence: "No host certificate has been signed yet. Create an SSH authority first.",
    command:
      "postern api ssh-host-certificates create --ssh-certificate-authority-id <id> --public-key @/etc/ssh/ssh_host_ed25519_key.pub",
  },
  deletion: () => DELETION,
  facts: (certificate) => facts(certificate, "Hosts", EVERY_HOST),
  More: ({ record }) => <Result certificate={record} pastes={(ca) => hostInstructions(record, ca)} />,
});

export const sshUserCertificates = describe("/ssh_user_certificates", {
  singular: "SSH user certificate",
  plural: "SSH user certificates",
  about: "Let users log in to every host that trusts the authority, without copying keys to it.",
  title: titleOf,
  columns: [principalsColumn("Users", "none"), ...commonColumns],
  fields: [
    authority,
    publicKey("the user's"),
    principals({
      label: "User names",
      help: "The accounts that it may log in to.",
      placeholder: "ada",
      emptyWarning: "Without a name the certificate cannot be used.",
    }),
    lifetime([
      { label: "8 hours", hours: 8 },
      { label: "24 hours", hours: DAY, usual: true },
      { label: "7 days", hours: 7 * DAY },
      { label: "30 days", hours: 30 * DAY },
    ]),
    options("Option", {
      name: "critical_options",
      label: "Restrictions",
      help: "Such as force-command or source-address. Hosts refuse a certificate with an option that they do not know.",
    }),
    options("Extension", {
      name: "extensions",
      label: "Permissions",
      help: "Without any: permit-pty and permit-user-rc. Most have no value.",
    }),
    description(),
    metadata,
  ],
  empty: {
    sentence: "No user certificate has been signed yet. Create an SSH authority first.",
    command:
      "postern api ssh-user-certificates create --ssh-certificate-authority-id <id> --public-key @id_ed25519.pub --principals ada",
  },
  deletion: () => DELETION,
  facts: (certificate) => [
    ...facts(certificate, "Users", "none"),
    { label: "Restrictions", value: namesOf(certificate.critical_options) || <None>none</None> },
    { label: "Permissions", value: namesOf(certificate.extensions) || <None>none</None> },
  ],
  More: ({ record }) => <Result certificate={record} pastes={(ca) => userInstructions(record, ca)} />,
});

function namesOf(map: Readonly<Record<string, string>>): string {
  return Object.entries(map)
    .map(([name, value]) => (value === "" ? name : `${name}=${value}`))
    .join(", ");
}
