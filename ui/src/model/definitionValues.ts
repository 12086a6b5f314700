// Values of a tunnel's definition, which a person may have written in any form.
type Keys = Readonly<Record<string, unknown>>;

export function isGroup(value: unknown): value is Keys {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The keys of a group; none for anything else. */
export function groupOf(value: unknown): Keys {
  return isGroup(value) ? value : {};
}

export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** One text or a list of them. */
export function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(textOf).filter(Boolean);
}

/** The entries of a text area: one per line, or divided by commas. */
export function linesOf(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);
}
