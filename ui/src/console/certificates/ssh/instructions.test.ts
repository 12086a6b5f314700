import { expect, it } from "vitest";
import type { SshHostCertificate, SshUserCertificate } from "../../../api/generated";
import { hostInstructions, userInstructions, knownHosts, publicKeyError } from "./instructions";

const CA = "ssh-ed25519 AAAAca postern";

it("names the files of a host's key and the authority for its names", () => {
  const certificate = { key_type: "ecdsa", principals: ["a.test", "10.0.0.1"], certificate: "cert AAAA" };
  const pastes = hostInstructions(certificate as unknown as SshHostCertificate, CA);
  expect(pastes.map(({ file, text }) => [file, text])).toEqual([
    ["/etc/ssh/ssh_host_ecdsa_key-cert.pub", "cert AAAA\n"],
    [
      "/etc/ssh/sshd_config",
      "HostKey /etc/ssh/ssh_host_ecdsa_key\nHostCertificate /etc/ssh/ssh_host_ecdsa_key-cert.pub\n",
    ],
    ["~/.ssh/known_hosts", `@cert-authority a.test,10.0.0.1 ${CA}\n`],
  ]);
});

it("trusts an authority for every host where a certificate has no names", () => {
  expect(knownHosts([], `${CA}\n`)).toBe(`@cert-authority * ${CA}`);
});

it("tells users and hosts their parts", () => {
  const certificate = { key_type: "ed25519", principals: ["ada"], certificate: "cert AAAA\n" };
  const of = (authority: string | null) =>
    userInstructions(certificate as unknown as SshUserCertificate, authority).map(({ file }) => file);
  expect(of(CA)).toEqual(["~/.ssh/id_ed25519-cert.pub", "/etc/ssh/user_ca.pub", "/etc/ssh/sshd_config"]);
  expect(of(null), "the authority is gone").toEqual(["~/.ssh/id_ed25519-cert.pub"]);
});

it("knows public keys from what else may be pasted", () => {
  for (const good of [
    "ssh-ed25519 AAAAC3Nz",
    "ssh-rsa AAAAB3 ada@home and more",
    "ecdsa-sha2-nistp384 AAAA+/= x\n",
  ])
    expect(publicKeyError(good), good).toBe(null);
  expect(publicKeyError("-----BEGIN OPENSSH PRIVATE KEY-----")).toContain("private key");
  expect(publicKeyError("ssh-ed25519-cert-v01@openssh.com AAAA")).toContain("certificate");
  expect(publicKeyError("ssh-ed25519 AAAA\nssh-ed25519 AAAA")).toContain("several lines");
  expect(publicKeyError("hello")).toContain(".pub");
});
