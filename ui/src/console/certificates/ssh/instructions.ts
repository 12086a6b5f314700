// The files and lines that OpenSSH needs to use a certificate.
import type { KeyType, SshHostCertificate, SshUserCertificate } from "../../../api/generated";

export interface InstructionText {
  title: string;
  /** The target file. */
  file: string;
  text: string;
}

/** The usual file name of a key of this type, without its folder. */
export function keyFile(purpose: "host" | "user", type: KeyType): string {
  return purpose === "host" ? `ssh_host_${type}_key` : `id_${type}`;
}

/** A line of `known_hosts` that trusts this authority for these hosts. */
export function knownHosts(principals: readonly string[], authority: string): string {
  return `@cert-authority ${principals.length > 0 ? principals.join(",") : "*"} ${authority.trim()}`;
}

export function hostInstructions(
  certificate: SshHostCertificate,
  authority: string | null,
): InstructionText[] {
  const key = `/etc/ssh/${keyFile("host", certificate.key_type)}`;
  return [
    {
      title: "The certificate, on the host",
      file: `${key}-cert.pub`,
      text: `${certificate.certificate.trim()}\n`,
    },
    {
      title: "Lines for the SSH server's configuration; restart it afterwards",
      file: "/etc/ssh/sshd_config",
      text: `HostKey ${key}\nHostCertificate ${key}-cert.pub\n`,
    },
    ...(authority === null
      ? []
      : [
          {
            title: "A line for everyone who connects to it",
            file: "~/.ssh/known_hosts",
            text: `${knownHosts(certificate.principals, authority)}\n`,
          },
        ]),
  ];
}

export function userInstructions(
  certificate: SshUserCertificate,
  authority: string | null,
): InstructionText[] {
  const key = `~/.ssh/${keyFile("user", certificate.key_type)}`;
  return [
    {
      title: "The certificate, next to the user's key",
      file: `${key}-cert.pub`,
      text: `${certificate.certificate.trim()}\n`,
    },
    ...(authority === null ? [] : trustedUserCa(authority)),
  ];
}

/** The configuration of hosts that accept users of an authority. */
export function trustedUserCa(authority: string): InstructionText[] {
  const file = "/etc/ssh/user_ca.pub";
  return [
    { title: "The authority, on every host that users may log in to", file, text: `${authority.trim()}\n` },
    {
      title: "A line for the SSH server's configuration; restart it afterwards",
      file: "/etc/ssh/sshd_config",
      text: `TrustedUserCAKeys ${file}\n`,
    },
  ];
}

export function authorityInstructions(authority: string): InstructionText[] {
  return [
    {
      title: "For host certificates: a line for everyone who connects",
      file: "~/.ssh/known_hosts",
      text: `${knownHosts([], authority)}\n`,
    },
    ...trustedUserCa(authority),
  ];
}

/** The error in a public key, as far as its format shows. */
export function publicKeyError(text: string): string | null {
  const line = text.trim();
  if (line.includes("PRIVATE KEY"))
    return "This is a private key. Keep it secret and paste the .pub file next to it.";
  if (line.includes("\n")) return "This text has several lines; paste exactly one public key.";
  if (/-cert-v01@openssh\.com /.test(line))
    return "This is a certificate. Paste the public key for which it was issued.";
  return /^(ssh-rsa|ssh-ed25519|ecdsa-sha2-nistp(256|384|521)) AAAA[A-Za-z0-9+/=]+( .*)?$/.test(line)
    ? null
    : "Paste the line of a .pub file, such as “ssh-ed25519 AAAA… name@host”.";
}
