// Searches by words: an id, a host, a network, a description, the name of a page or of an action.

export interface PaletteItem {
  /** A page of the console. */
  path: string;
  group: string;
  title: string;
  note: string;
  /** Other texts by which it can be found. */
  text: string;
}

/** Maximum number of results per group. */
const MAX_PER_GROUP = 8;

/** The items that contain all words, by group, the best first; groups are in the order of the items. */
export function search(
  items: readonly PaletteItem[],
  words: string,
): { label: string; items: PaletteItem[] }[] {
  const needles = words.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, { item: PaletteItem; score: number }[]>();
  for (const item of items) {
    const score = scoreOf(item, needles);
    if (score === 0) continue;
    const group = groups.get(item.group) ?? [];
    group.push({ item, score });
    groups.set(item.group, group);
  }
  return [...groups].map(([label, found]) => ({
    label,
    items: found
      .toSorted((one, other) => other.score - one.score)
      .slice(0, needles.length === 0 ? undefined : MAX_PER_GROUP)
      .map(({ item }) => item),
  }));
}

/** 0 if a word is missing; higher the earlier and the more exactly the words match the title. */
function scoreOf(item: PaletteItem, needles: readonly string[]): number {
  const title = item.title.toLowerCase();
  const rest = `${item.note}\n${item.text}`.toLowerCase();
  let score = 1;
  for (const word of needles) {
    if (title === word) score += 8;
    else if (title.startsWith(word)) score += 4;
    else if (title.includes(word)) score += 2;
    else if (rest.includes(word) || holdsAddress(item.text, word)) score += 1;
    else return 0;
  }
  return score;
}

const NETWORK = /\b(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})\b/g;

/** Whether one of the networks in a text contains an IPv4 address. */
function holdsAddress(text: string, word: string): boolean {
  const address = numberOf(word);
  if (address === null) return false;
  for (const [, network = "", length = ""] of text.matchAll(NETWORK)) {
    const first = numberOf(network);
    const bits = Number(length);
    if (first === null || bits > 32) continue;
    const size = 2 ** (32 - bits);
    if (Math.floor(first / size) === Math.floor(address / size)) return true;
  }
  return false;
}

function numberOf(address: string): number | null {
  const parts = address.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return null;
  return parts.reduce((total, part) => total * 256 + Number(part), 0);
}
