// Fields of SSH certificates: the authority, the public key, the principals and the validity.
import type { SshCertificateAuthority } from "../../../api/generated";
import { Icon } from "../../../parts/Icon";
import type { Field, InputProps } from "../../resource/field";
import { lines } from "../../resource/fields/lists";
import { ref } from "../../resource/fields/references";
import { choice } from "../../resource/fields/simple";
import { collection } from "../../../api/management";
import { text } from "../../resource/fields/text";
import styles from "../certificates.module.css";
import { publicKeyError } from "./instructions";

const AUTHORITIES = {
  ...collection("/ssh_certificate_authorities"),
  singular: "SSH certificate authority",
  title: ({ description, id, key_type }: SshCertificateAuthority) => `${description || id} (${key_type})`,
};

export const authority: Field = ref({
  name: "ssh_certificate_authority_id",
  label: "SSH certificate authority",
  help: "Its private key stays on the server; only this server can sign with it.",
  createOnly: true,
  kinds: [AUTHORITIES],
});

export const publicKey = (whose: string): Field =>
  text({
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

/** The names for which the certificate is valid; `none` explains an empty list. */
export function principals(options: {
  label: string;
  help: string;
  placeholder: string;
  none: string;
}): Field {
  const { label, help, placeholder, none } = options;
  const names = lines({ name: "principals", label, help, placeholder, rows: 3 });
  const Lines = names.Input;
  return {
    ...names,
    createOnly: true,
    Input: (props: InputProps<unknown>) => (
      <>
        <Lines {...props} />
        {String(props.value).trim() === "" && (
          <p className={styles.warning} role="status">
            <Icon name="alert" size={14} />
            {none}
          </p>
        )}
      </>
    ),
  };
}

const HOUR_MS = 3_600_000;

interface Lifetime {
  label: string;
  hours: number;
  /** The server's default. */
  usual?: true;
}

/** The lifetime from now. */
export function lifetime(options: readonly Lifetime[]): Field {
  const field = choice({
    name: "valid_until",
    label: "Valid for",
    createOnly: true,
    initial: "",
    options: options.map(({ label, hours, usual }) => ({ value: usual ? "" : String(hours), label })),
  });
  return {
    ...field,
    write: (value) => {
      if (value === "") return undefined;
      const end = new Date(Date.now() + Number(value) * HOUR_MS);
      // Rounded to the minute, so that the displayed request does not change.
      end.setSeconds(0, 0);
      return end.toISOString();
    },
  };
}
