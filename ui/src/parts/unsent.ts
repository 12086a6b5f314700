// Whether the page has input that was not sent yet. The desktop app keeps the page of a hidden window as long as it has.
const sources = new Set<string>();

/** Notes whether a part of the page has unsent input. */
export function markUnsent(source: string, hasInput: boolean): void {
  if (hasInput) sources.add(source);
  else sources.delete(source);
  // Tests of the model have no document.
  globalThis.document?.documentElement.toggleAttribute("data-unsent", sources.size > 0);
}
