// Fields of SSH certificates: the authority, the public key, the principals and the validity.
import type { ChoiceField, ListField, ReferenceField, RowsField, TextField } from "../../form/field";
import { SSH_AUTHORITIES } from "../../kinds/references";
import { publicKeyError } from "./instructions";

export const authority: ReferenceField = {
  kind: "reference",
  name: "ssh_certificate_authority_id",
  label: "SSH authority",
  help: "Its private key stays on the server; only this server can sign with it.",
  of: [SSH_AUTHORITIES],
  preselect: true,
  required: true,
  createOnly: true,
};

export const publicKey = (whose: string): TextField => ({
  kind: "text",
  name: "public_key",
  label: "Public key",
  help: `The line of ${whose} .pub file. The certificate is issued for this key.`,
  placeholder: "ssh-ed25519 AAAA…",
  rows: 3,
  mono: true,
  required: true,
  createOnly: true,
  check: publicKeyError,
});

/** The names for which the certificate is valid; the warning explains an empty list. */
export const principals = (
  texts: Required<Pick<ListField, "label" | "help" | "placeholder" | "emptyWarning">>,
): ListField => ({ kind: "list", name: "principals", createOnly: true, ...texts });

const HOUR_MS = 3_600_000;

interface Lifetime {
  label: string;
  hours: number;
  /** The server's default. */
  usual?: true;
}

/** The lifetime from now. */
export const lifetime = (options: readonly Lifetime[]): ChoiceField => ({
  kind: "choice",
  name: "valid_until",
  label: "Valid for",
  createOnly: true,
  initial: "",
  options: options.map(({ label, hours, usual }) => ({ value: usual ? "" : String(hours), label })),
  write: (value) => {
    if (value === "") return undefined;
    const end = new Date(Date.now() + Number(value) * HOUR_MS);
    // Rounded to the minute, so that the displayed request does not change.
    end.setSeconds(0, 0);
    return end.toISOString();
  },
});

/** Named options with values, written into the certificate; `noun` names one of them. */
export const options = (
  noun: string,
  texts: Required<Pick<RowsField, "name" | "label" | "help">>,
): RowsField => ({
  kind: "rows",
  columns: [
    { name: "name", label: noun },
    { name: "value", label: "Value" },
  ],
  shape: "map",
  add: `Add ${noun.toLowerCase()}`,
  createOnly: true,
  ...texts,
});
