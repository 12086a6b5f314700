// Searches by words: a text matches if it contains each of them, in any case and order.

export function searchWords(typed: string): string[] {
  return typed.toLowerCase().split(/\s+/).filter(Boolean);
}

/** `words`: those of `searchWords`. */
export function containsWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}
