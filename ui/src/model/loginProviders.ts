// The providers that visitors can log in with: their API names and their display names.
export const LOGIN_PROVIDERS: readonly { value: string; label: string }[] = [
  { value: "github", label: "GitHub" },
  { value: "google", label: "Google" },
  { value: "microsoft", label: "Microsoft" },
  { value: "gitlab", label: "GitLab" },
  { value: "linkedin", label: "LinkedIn" },
  { value: "facebook", label: "Facebook" },
  { value: "twitch", label: "Twitch" },
  { value: "amazon", label: "Amazon" },
];

/** A provider that is none of these. */
export const OTHER_PROVIDER = "oidc";

/** All that can be chosen where a form asks for any provider. */
export const ALL_LOGIN_PROVIDERS = [
  ...LOGIN_PROVIDERS,
  { value: OTHER_PROVIDER, label: "Another provider (OpenID Connect)" },
];

export function isEmailAddress(text: string): boolean {
  return /^[^\s@]{1,64}@[^\s@]+$/.test(text);
}

/** Whether a text is what follows the `@` of an address. */
export function isEmailDomain(text: string): boolean {
  return /^[^\s@/:]+\.[^\s@/:]+$/.test(text);
}
