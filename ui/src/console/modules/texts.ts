// Settings as parts of a sentence.

export function percent(share: number): string {
  return `${Number((share * 100).toFixed(4))}%`;
}

/** `a`, `a and b`, `a, b and 3 more`. */
export function shortList(words: readonly string[], shown = 3): string {
  if (words.length > shown + 1) return `${words.slice(0, shown).join(", ")} and ${words.length - shown} more`;
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
