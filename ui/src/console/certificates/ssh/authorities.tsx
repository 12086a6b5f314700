// SSH certificate authorities: keys with which this server signs certificates of hosts and users.
import { description, metadata } from "../../form/fields";
import { Moment } from "../../resource/cells";
import { describe, descriptionColumn, idColumn, metadataColumn, titleOf } from "../../resource/kind";
import { Section } from "../../resource/PageFrame";
import { authorityInstructions } from "./instructions";
import { Instructions } from "./Instructions";

export const sshAuthorities = describe("/ssh_certificate_authorities", {
  singular: "SSH authority",
  plural: "SSH authorities",
  about:
    "Keys that sign certificates of SSH hosts and users, so that fingerprints need not be compared and keys need not be copied.",
  title: titleOf,
  columns: [
    descriptionColumn,
    { name: "key_type", label: "Key", text: ({ key_type }) => key_type },
    idColumn,
    {
      name: "created_at",
      label: "Created",
      text: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Moment at={created_at} />,
    },
    metadataColumn,
  ],
  fields: [
    {
      kind: "choice",
      name: "private_key_type",
      label: "Key type",
      createOnly: true,
      options: [
        { value: "ed25519", label: "Ed25519" },
        { value: "ecdsa", label: "ECDSA" },
        { value: "rsa", label: "RSA" },
      ],
    },
    {
      kind: "choice",
      name: "elliptic_curve",
      label: "Curve",
      createOnly: true,
      options: ["nistp256", "nistp384", "nistp521"].map((value) => ({ value, label: value })),
      when: (draft) => draft["private_key_type"] === "ecdsa",
    },
    {
      kind: "choice",
      name: "key_size",
      label: "Length",
      createOnly: true,
      initial: "4096",
      options: ["2048", "4096"].map((value) => ({ value, label: `${value} bits` })),
      when: (draft) => draft["private_key_type"] === "rsa",
      write: Number,
    },
    description(),
    metadata,
  ],
  empty: {
    sentence: "There is no SSH authority yet. Create one to sign certificates for hosts and users.",
    command: "postern api ssh-certificate-authorities create --description 'Our machines'",
  },
  deletion: () =>
    "Its private key is destroyed, so it can no longer sign. Certificates that it has signed remain valid until they expire.",
  touches: ["/ssh_host_certificates", "/ssh_user_certificates"],
  facts: ({ key_type }) => [{ label: "Key", value: key_type }],
  More: ({ record }) => (
    <Section
      title="Set up trust"
      about="Host certificates need the first line, user certificates the other two."
    >
      <Instructions pastes={authorityInstructions(record.public_key)} />
    </Section>
  ),
});
