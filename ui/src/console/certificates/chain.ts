// Parses certificates and checks whether a private key matches one. Loaded with the first certificate. All parsing
// happens in the page, and a private key is sent nowhere except in the request.
import { ECParameters, ECPrivateKey, id_ecPublicKey } from "@peculiar/asn1-ecc";
import { PrivateKeyInfo } from "@peculiar/asn1-pkcs8";
import { id_rsaEncryption, RSAPrivateKey, RSAPublicKey } from "@peculiar/asn1-rsa";
import { AsnConvert } from "@peculiar/asn1-schema";
import {
  BasicConstraints,
  Certificate,
  id_ce_basicConstraints,
  id_ce_subjectAltName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
  type Name,
} from "@peculiar/asn1-x509";
import { hexPairs } from "../../model/bytes";
import { blocksOf, isKey, type Block } from "./pem";

const COMMON_NAME = "2.5.4.3";
const ORGANIZATION = "2.5.4.10";
const ED25519 = "1.3.101.112";
const CURVES: Readonly<Record<string, string>> = {
  "1.2.840.10045.3.1.7": "P-256",
  "1.3.132.0.34": "P-384",
  "1.3.132.0.35": "P-521",
};

export interface Facts {
  /** The common name, otherwise the first subject alternative name, otherwise the organization. */
  title: string;
  issuer: string;
  /** DNS names and IP addresses. */
  names: readonly string[];
  notBefore: Date;
  notAfter: Date;
  /** `RSA 2048`, `ECDSA P-256`, `Ed25519`. */
  key: string;
  serial: string;
  authority: boolean;
  selfSigned: boolean;
  subjectDer: string;
  issuerDer: string;
  keyDer: ArrayBuffer;
}

export interface Chain {
  certificates: readonly Facts[];
  /** What the server would refuse, and what it accepts but visitors may not trust. */
  mistakes: readonly string[];
  warnings: readonly string[];
}

function refused(mistake: string): Chain {
  return { certificates: [], mistakes: [mistake], warnings: [] };
}

export function readChain(text: string, now: Date): Chain {
  const blocks = blocksOf(text);
  if (typeof blocks === "string") return refused(blocks);
  if (blocks.some(({ label }) => isKey(label)))
    return refused(
      "This text contains a private key. Put it in the other field; only certificates are shown to visitors.",
    );
  const other = blocks.find(({ label }) => label !== "CERTIFICATE");
  if (other)
    return refused(
      `This text contains a block “${other.label}”. Only “CERTIFICATE” blocks are allowed here.`,
    );
  if (blocks.length === 0)
    return refused(
      "This text contains no certificate: paste everything from -----BEGIN CERTIFICATE----- on.",
    );
  const certificates: Facts[] = [];
  for (const [index, block] of blocks.entries()) {
    const facts = factsOf(block);
    if (!facts) return refused(`Certificate ${index + 1} cannot be read.`);
    certificates.push(facts);
  }
  return { certificates, mistakes: orderMistakes(certificates), warnings: warningsOf(certificates, now) };
}

function orderMistakes(certificates: readonly Facts[]): string[] {
  const mistakes: string[] = [];
  for (const [index, next] of certificates.entries()) {
    const before = certificates[index - 1];
    if (before && before.issuerDer !== next.subjectDer)
      mistakes.push(
        `“${before.title}” was issued by “${before.issuer}”, but “${next.title}” comes next. The leaf comes first, then each certificate that issued the one before it.`,
      );
  }
  return mistakes;
}

function warningsOf(certificates: readonly Facts[], now: Date): string[] {
  const leaf = certificates[0];
  if (!leaf) return [];
  const warnings: string[] = [];
  if (leaf.notAfter <= now) warnings.push("The certificate has expired: browsers refuse it.");
  if (leaf.notBefore > now) warnings.push("The certificate is not valid yet.");
  if (leaf.names.length === 0)
    warnings.push("The certificate has no subject alternative names; browsers ignore the common name.");
  if (certificates.length === 1 && !leaf.selfSigned)
    warnings.push("The intermediate certificates are missing. Most browsers and programs need them.");
  if (leaf.authority) warnings.push("The first certificate belongs to an authority, not to a server.");
  return warnings;
}

function factsOf({ der }: Block): Facts | null {
  try {
    const { tbsCertificate: certificate } = AsnConvert.parse(der, Certificate);
    const { subject, issuer, validity, subjectPublicKeyInfo: key, extensions } = certificate;
    const extension = (id: string) => extensions?.find(({ extnID }) => extnID === id)?.extnValue.buffer;
    const alternative = extension(id_ce_subjectAltName);
    const constraints = extension(id_ce_basicConstraints);
    const names = alternative
      ? [...AsnConvert.parse(alternative, SubjectAlternativeName)].flatMap(
          (name) => name.dNSName ?? name.iPAddress ?? [],
        )
      : [];
    const [subjectDer, issuerDer] = [nameDer(subject), nameDer(issuer)];
    return {
      title: words(subject, COMMON_NAME) || names[0] || words(subject, ORGANIZATION) || "without a name",
      issuer: words(issuer, COMMON_NAME) || words(issuer, ORGANIZATION) || "without a name",
      names,
      notBefore: validity.notBefore.getTime(),
      notAfter: validity.notAfter.getTime(),
      key: keyKind(key.algorithm.algorithm, key.algorithm.parameters, key.subjectPublicKey),
      serial: hex(certificate.serialNumber),
      authority: constraints ? AsnConvert.parse(constraints, BasicConstraints).cA : false,
      selfSigned: subjectDer === issuerDer,
      subjectDer,
      issuerDer,
      keyDer: AsnConvert.serialize(key),
    };
  } catch {
    return null;
  }
}

function nameDer(name: Name): string {
  return hex(AsnConvert.serialize(name));
}

function words(name: Name, type: string): string {
  for (const part of name) for (const { type: own, value } of part) if (own === type) return value.toString();
  return "";
}

function keyKind(algorithm: string, parameters: ArrayBuffer | null | undefined, key: ArrayBuffer): string {
  if (algorithm === id_rsaEncryption) return `RSA ${bits(AsnConvert.parse(key, RSAPublicKey).modulus)}`;
  if (algorithm === ED25519) return "Ed25519";
  if (algorithm === id_ecPublicKey && parameters) {
    const curve = AsnConvert.parse(parameters, ECParameters).namedCurve ?? "";
    return `ECDSA ${CURVES[curve] ?? curve}`;
  }
  return algorithm;
}

function bits(modulus: ArrayBuffer): number {
  const bytes = trimmed(new Uint8Array(modulus));
  return bytes.length * 8 - Math.clz32(bytes[0] ?? 0) + 24;
}

/** Without leading zeros. */
function trimmed(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? bytes.slice(0, 0) : bytes.slice(first);
}

export function hex(buffer: ArrayBuffer): string {
  return hexPairs(new Uint8Array(buffer)).join("");
}

/** Whether a private key matches a certificate; `unknown` where the page cannot tell. Otherwise the error. */
export type Match = "belongs" | "other" | "unknown" | { mistake: string };

export async function matchKey(leaf: Facts, text: string): Promise<Match> {
  const blocks = blocksOf(text);
  if (typeof blocks === "string") return { mistake: blocks };
  const keys = blocks.filter(({ label }) => isKey(label));
  if (keys.length === 0) {
    const mistake = blocks.some(({ label }) => label === "CERTIFICATE")
      ? "This is a certificate. A private key begins with a line like -----BEGIN PRIVATE KEY-----."
      : "This text contains no private key: paste everything from -----BEGIN on.";
    return { mistake };
  }
  const [key, second] = keys;
  if (second) return { mistake: "This text contains more than one key." };
  if (!key || key.encrypted)
    return { mistake: "The key is encrypted. Decrypt it first: openssl pkey -in key.pem -out plain.pem" };
  try {
    return await compare(leaf, key);
  } catch {
    return { mistake: "The key cannot be read." };
  }
}

async function compare(leaf: Facts, { label, der }: Block): Promise<Match> {
  const { algorithm: of, subjectPublicKey } = AsnConvert.parse(leaf.keyDer, SubjectPublicKeyInfo);
  const { algorithm } = of;
  if (label === "RSA PRIVATE KEY") return sameRsa(algorithm, subjectPublicKey, der.buffer);
  if (label === "EC PRIVATE KEY") return samePoint(algorithm, subjectPublicKey, der.buffer);
  const info = AsnConvert.parse(der, PrivateKeyInfo);
  const kind = info.privateKeyAlgorithm.algorithm;
  const inside = info.privateKey.buffer;
  if (kind === id_rsaEncryption) return sameRsa(algorithm, subjectPublicKey, inside);
  if (kind === id_ecPublicKey) {
    const message = samePoint(algorithm, subjectPublicKey, inside);
    return message === "unknown" ? sameByCrypto(leaf, der, algorithm, subjectPublicKey) : message;
  }
  if (kind === ED25519 && algorithm !== ED25519) return "other";
  if (kind === ED25519) return sameByCrypto(leaf, der, algorithm, subjectPublicKey);
  return {
    mistake: "This key type is not supported. Use RSA, ECDSA on P-256, P-384 or P-521, or Ed25519.",
  };
}

function comparable(number: ArrayBuffer): string {
  return hex(trimmed(new Uint8Array(number)).slice().buffer);
}

function sameRsa(algorithm: string, key: ArrayBuffer, der: ArrayBuffer): Match {
  if (algorithm !== id_rsaEncryption) return "other";
  const own = AsnConvert.parse(der, RSAPrivateKey).modulus;
  return comparable(own) === comparable(AsnConvert.parse(key, RSAPublicKey).modulus) ? "belongs" : "other";
}

function samePoint(algorithm: string, key: ArrayBuffer, der: ArrayBuffer): Match {
  if (algorithm !== id_ecPublicKey) return "other";
  const { publicKey } = AsnConvert.parse(der, ECPrivateKey);
  if (!publicKey) return "unknown";
  return hex(publicKey) === hex(key) ? "belongs" : "other";
}

/** For keys without their public half: Web Crypto derives it, where the browser allows it. */
async function sameByCrypto(
  leaf: Facts,
  der: Uint8Array<ArrayBuffer>,
  algorithm: string,
  key: ArrayBuffer,
): Promise<Match> {
  const curve = leaf.key.replace("ECDSA ", "");
  const edwards = algorithm === ED25519;
  if (!edwards && algorithm !== id_ecPublicKey) return "other";
  if (!globalThis.crypto?.subtle) return "unknown";
  const kind = edwards ? { name: "Ed25519" } : { name: "ECDSA", namedCurve: curve };
  const imported = await crypto.subtle.importKey("pkcs8", der, kind, true, ["sign"]).catch(() => null);
  if (!imported) return "unknown";
  const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", imported);
  const point = edwards ? raw(x) : `04${raw(x)}${raw(y)}`;
  return point === hex(key) ? "belongs" : "other";
}

function raw(base64url: string): string {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return hex(Uint8Array.from(text, (letter) => letter.charCodeAt(0)).buffer);
}
