// Detects the values that are hidden until the user reveals them.
import type { Header } from "./httpMessage";

export const MASK = "••••••••";

const EXACT = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "api-key",
  "apikey",
  "x-csrf-token",
  "x-xsrf-token",
  "x-amz-security-token",
  "access_key",
  "secret_key",
  "key",
]);
const PART = /(?:^|[-_])(?:token|secret|password|passwd|credential|signature|session)(?:$|[-_])/i;

export function isSecret(name: string): boolean {
  return EXACT.has(name.toLowerCase()) || PART.test(name);
}

/** Masks the secret in a value; the kind of secret remains readable. */
export function mask(name: string, value: string): string {
  switch (name.toLowerCase()) {
    case "authorization":
    case "proxy-authorization": {
      const scheme = /^([A-Za-z][A-Za-z0-9-]*)\s+\S/.exec(value);
      return scheme ? `${scheme[1]} ${MASK}` : MASK;
    }
    case "cookie":
      return value.replace(/([^=;\s]+)=([^;]*)/g, `$1=${MASK}`);
    case "set-cookie":
      return value.replace(/^([^=;]+)=([^;]*)/, `$1=${MASK}`);
    default:
      return MASK;
  }
}

export function maskHeaders(headers: readonly Header[]): Header[] {
  return headers.map(({ name, value }) => ({ name, value: isSecret(name) ? mask(name, value) : value }));
}

export function hasSecrets(headers: readonly Header[]): boolean {
  return headers.some(({ name, value }) => isSecret(name) && value !== "");
}

/** The head as text with every secret value masked. */
export function maskHead(head: string): string {
  return head
    .split(/(?<=\n)/)
    .map((line, index) => {
      if (index === 0) return line.replace(/^\S+ \S+/, maskUrl);
      const match = /^([^:\s]+):([ \t]*)(.*?)(\r?\n?)$/s.exec(line);
      if (!match) return line;
      const [, name = "", space = "", value = "", end = ""] = match;
      return isSecret(name) && value !== "" ? `${name}:${space}${mask(name, value)}${end}` : line;
    })
    .join("");
}

/** Masks the values of secret parameters in a request target or an address. */
export function maskUrl(target: string): string {
  const query = target.indexOf("?");
  if (query === -1) return target;
  const shown = target
    .slice(query + 1)
    .replace(/([^&=]+)=([^&]+)/g, (whole, name: string) => (isSecret(name) ? `${name}=${MASK}` : whole));
  return target.slice(0, query + 1) + shown;
}
