// Certificates and keys created by OpenSSL for this test.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { matchKey, readChain, type Facts } from "./chain";
import { blocksOf } from "./pem";

/** OpenSSL rounds dates to seconds, from the current time on. */
const NOW = new Date(Date.now() + 120_000);
const folder = mkdtempSync(join(tmpdir(), "chain-"));
const at = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(at(name), "utf8");
const openssl = (...given: string[]) => execFileSync("openssl", given, { cwd: folder, stdio: "pipe" });

const KINDS: Record<string, string[]> = {
  rsa: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
  p256: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
  p384: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
  ed25519: ["-algorithm", "ED25519"],
};

beforeAll(() => {
  openssl("genpkey", ...(KINDS["p256"] ?? []), "-out", "ca.key");
  openssl(
    "req",
    "-x509",
    "-new",
    "-key",
    "ca.key",
    "-subj",
    "/CN=Test authority",
    "-days",
    "30",
    "-out",
    "ca.pem",
  );
  for (const [name, kind] of Object.entries(KINDS)) {
    openssl("genpkey", ...kind, "-out", `${name}.key`);
    openssl("req", "-new", "-key", `${name}.key`, "-subj", `/O=Shop/CN=${name}.test`, "-out", `${name}.csr`);
    const signed = ["x509", "-req", "-in", `${name}.csr`, "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "10"];
    openssl(...signed, "-extfile", extensions(name), "-out", `${name}.pem`);
  }
  openssl("rsa", "-in", "rsa.key", "-traditional", "-out", "rsa.pkcs1");
  openssl("ec", "-in", "p256.key", "-out", "p256.sec1");
  openssl("pkcs8", "-topk8", "-in", "rsa.key", "-passout", "pass:secret", "-out", "rsa.encrypted");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function extensions(name: string): string {
  const file = at(`${name}.ext`);
  execFileSync("sh", [
    "-c",
    `printf 'subjectAltName=DNS:${name}.test,DNS:*.${name}.test,IP:192.0.2.7' > "$0"`,
    file,
  ]);
  return file;
}

function leaf(name: string): Facts {
  const [first] = readChain(read(`${name}.pem`), NOW).certificates;
  if (!first) throw new Error(`no certificate in ${name}.pem`);
  return first;
}

const mistake = (text: string) => readChain(text, NOW).mistakes[0];

describe("a chain", () => {
  it("tells names, issuer, end and kind of key", () => {
    const { certificates, mistakes, warnings } = readChain(`${read("rsa.pem")}\n${read("ca.pem")}`, NOW);
    expect([mistakes, warnings]).toEqual([[], []]);
    expect(certificates.map(({ title, issuer, key, authority }) => [title, issuer, key, authority])).toEqual([
      ["rsa.test", "Test authority", "RSA 2048", false],
      ["Test authority", "Test authority", "ECDSA P-256", true],
    ]);
    expect(certificates[0]?.names).toEqual(["rsa.test", "*.rsa.test", "192.0.2.7"]);
    expect(Math.round(((certificates[0]?.notAfter.getTime() ?? 0) - NOW.getTime()) / 86_400_000)).toBe(10);
    expect(["p256", "p384", "ed25519"].map((name) => leaf(name).key)).toEqual([
      "ECDSA P-256",
      "ECDSA P-384",
      "Ed25519",
    ]);
  });

  it("in the wrong order is a mistake that names both", () => {
    const { mistakes } = readChain(`${read("ca.pem")}${read("rsa.pem")}`, NOW);
    expect(mistakes).toEqual([
      expect.stringContaining("“Test authority” was issued by “Test authority”, but “rsa.test” comes next"),
    ]);
  });

  it("alone, expired or without names is warned about", () => {
    expect(readChain(read("rsa.pem"), NOW).warnings).toEqual([
      expect.stringContaining("intermediate certificates are missing"),
    ]);
    const later = new Date(NOW.getTime() + 11 * 86_400_000);
    expect(readChain(read("rsa.pem"), later).warnings[0]).toBe(
      "The certificate has expired: browsers refuse it.",
    );
    expect(readChain(read("ca.pem"), NOW).warnings).toContain(
      "The certificate has no subject alternative names; browsers ignore the common name.",
    );
  });

  it("of something else is refused in words", () => {
    expect(mistake("")).toContain("no certificate");
    expect(mistake(read("rsa.key"))).toContain("private key");
    expect(mistake(read("rsa.csr"))).toContain("CERTIFICATE REQUEST");
    expect(mistake("-----BEGIN CERTIFICATE-----\nAAAA")).toContain("incomplete");
    expect(mistake("-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----")).toContain("Base64");
    expect(mistake("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----")).toBe(
      "Certificate 1 cannot be read.",
    );
  });
});

describe("a key", () => {
  it.each(Object.keys(KINDS))("of kind %s belongs to its own certificate and to no other", async (name) => {
    expect(await matchKey(leaf(name), read(`${name}.key`))).toBe("belongs");
    for (const other of Object.keys(KINDS).filter((one) => one !== name))
      expect(await matchKey(leaf(other), read(`${name}.key`)), `${name} and ${other}`).toBe("other");
  });

  it("may have the older forms", async () => {
    expect(await matchKey(leaf("rsa"), read("rsa.pkcs1"))).toBe("belongs");
    expect(await matchKey(leaf("p256"), read("p256.sec1"))).toBe("belongs");
    expect(await matchKey(leaf("p384"), read("p256.sec1"))).toBe("other");
  });

  it("that cannot be used is refused in words", async () => {
    expect(await matchKey(leaf("rsa"), read("rsa.encrypted"))).toEqual({
      mistake: expect.stringContaining("encrypted"),
    });
    expect(await matchKey(leaf("rsa"), read("rsa.pem"))).toEqual({
      mistake: expect.stringContaining("a certificate"),
    });
    expect(await matchKey(leaf("rsa"), "hello")).toEqual({
      mistake: expect.stringContaining("no private key"),
    });
    expect(await matchKey(leaf("rsa"), read("rsa.key") + read("p256.key"))).toEqual({
      mistake: "This text contains more than one key.",
    });
  });
});

describe("blocks", () => {
  it("may have words between them", () => {
    expect(blocksOf(`Bag attributes\n${read("rsa.pem")}issuer=/CN=x\n${read("ca.pem")}`)).toHaveLength(2);
    expect(blocksOf("nothing")).toEqual([]);
  });
});
