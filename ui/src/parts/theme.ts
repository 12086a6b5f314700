// The chosen colour theme, applied before the first rendering and when another window changes it.
import { readStored } from "./hooks";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export function applyTheme(theme: string | null = readStored("theme")): void {
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") root.dataset["theme"] = theme;
  else delete root.dataset["theme"];
}

export function followTheme(): void {
  applyTheme();
  window.addEventListener("storage", (event) => event.key === "postern.theme" && applyTheme());
}
