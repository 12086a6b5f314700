// The colour theme, applied before the first rendering and when another window changes it.
import { readStored } from "../model/storage";

export const THEMES = ["system", "light", "dark", "contrast"] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_NAMES: readonly { value: Theme; label: string }[] = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
  { value: "contrast", label: "High contrast" },
];

export function applyTheme(theme: string | null = readStored("theme")): void {
  const root = document.documentElement;
  if (theme !== null && theme !== "system" && THEMES.some((known) => known === theme))
    root.dataset["theme"] = theme;
  else delete root.dataset["theme"];
}

export function followTheme(): void {
  applyTheme();
  window.addEventListener("storage", (event) => event.key === "postern.theme" && applyTheme());
}
