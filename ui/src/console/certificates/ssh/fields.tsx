// Fields of SSH certificates: who signs, what is signed, for whom, for how long.
import type { SshCertificateAuthority } from "../../../api/generated";
import { Icon } from "../../../parts/Icon";
import type { Field, InputProps } from "../../resource/field";
import { lines } from "../../resource/fields/lists";
import { ref } from "../../resource/fields/references";
import { choice } from "../../resource/fields/simple";
import { text } from "../../resource/fields/text";
import styles from "../certificates.module.css";
import { publicKeyMistake } from "./lines";

export const AUTHORITIES = {
  path: "/ssh_certificate_authorities",
  member: "ssh_certificate_authorities",
} as const;

export const authority: Field = ref({
  name: "ssh_certificate_authority_id",
  label: "SSH certificate authority",
  help: "Its private key stays on the server; only this server can sign with it.",
  createOnly: true,
  kinds: [
    {
      ...AUTHORITIES,
      one: "SSH certificate authority",
      title: (record: unknown) => {
        const { description, id, key_type } = record as SshCertificateAuthority;
        return `${description || id} (${key_type})`;
      },
    },
  ] as never,
});

export const publicKey = (whose: string): Field =>
  text({
    name: "public_key",
    label: "Public key",
    help: `The line of ${whose} .pub file. The certificate is made for it.`,
    placeholder: "ssh-ed25519 AAAA…",
    rows: 3,
    mono: true,
    required: true,
    createOnly: true,
    check: publicKeyMistake,
  });

/** Names the certificate is good for; `none` says what it means to give none. */
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
  /** What the server takes when nothing is said. */
  usual?: true;
}

/** How long from now on. */
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
      // To the minute, so that what is shown of the request stands still.
      end.setSeconds(0, 0);
      return end.toISOString();
    },
  };
}
