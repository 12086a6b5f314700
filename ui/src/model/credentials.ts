// The rules for user names and passwords of HTTP Basic authentication, as the server has them.
const MIN_PASSWORD_LENGTH = 8;
const MAX_CREDENTIALS_BYTES = 256;

/** What is wrong with a user; null for nothing. Of a password that is kept as it is, the length is not known. */
export function credentialsMistake(name: string, password: string, isKept: boolean): string | null {
  if (name.includes(":")) return `“${name}” contains a colon, which ends a user name in a request.`;
  if (!isKept && [...password].length < MIN_PASSWORD_LENGTH)
    return `The password of “${name}” is too short: at least ${MIN_PASSWORD_LENGTH} characters are needed.`;
  if (new TextEncoder().encode(`${name}:${password}`).length > MAX_CREDENTIALS_BYTES)
    return `“${name}” and the password have more than ${MAX_CREDENTIALS_BYTES} bytes together.`;
  return null;
}
