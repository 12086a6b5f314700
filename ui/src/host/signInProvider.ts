// The provider that a server offers for the sign-in.
import type { SignInProvider } from "./host";

/** Reads what the server offers; null if it offers nothing that this page understands. */
export function providerOf(body: string): SignInProvider | null {
  let offer: unknown;
  try {
    offer = JSON.parse(body);
  } catch {
    return null;
  }
  const { name, url } = (offer as { oidc?: Partial<SignInProvider> | null } | null)?.oidc ?? {};
  if (typeof name !== "string" || name === "" || typeof url !== "string") return null;
  return /^https?:\/\/[^/]/.test(url) ? { name, url } : null;
}

/** The address that begins a sign-in and leads back to a place of the console: what follows the `#` of its address. */
export function beginAt(provider: SignInProvider, hash: string): string {
  const place = hash.replace(/^#/, "");
  return place.startsWith("/") && place !== "/"
    ? `${provider.url}?place=${encodeURIComponent(place)}`
    : provider.url;
}
