// The providers that visitors can log in with: their API names and their display names.
export const LOGIN_PROVIDERS = [
  { value: "github", label: "GitHub" },
  { value: "google", label: "Google" },
  { value: "microsoft", label: "Microsoft" },
  { value: "gitlab", label: "GitLab" },
  { value: "linkedin", label: "LinkedIn" },
  { value: "facebook", label: "Facebook" },
  { value: "twitch", label: "Twitch" },
  { value: "amazon", label: "Amazon" },
] as const;
