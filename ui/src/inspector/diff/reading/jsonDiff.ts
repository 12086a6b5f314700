// Compares two JSON values: the order of members and the layout do not count, and items moved within a list are
// recognized.
import type { JsonTree } from "../../bodies/reading/json";
import { editScript } from "./editScript";

export interface JsonDifference {
  kind: "added" | "removed" | "changed";
  path: string;
  /** Node numbers; -1 where there is none. */
  before: number;
  after: number;
}

export const MAX_DIFFERENCES = 5_000;
const MAX_ITEMS = 5_000;
const OBJECT = 1;
const ARRAY = 2;
const STRING = 3;
const NUMBER = 4;

export function jsonDifferences(
  before: JsonTree,
  after: JsonTree,
): { found: JsonDifference[]; more: boolean } {
  const one = new Values(before);
  const other = new Values(after);
  const found: JsonDifference[] = [];
  const pending: [number, number][] = [[0, 0]];
  const removed = (node: number) =>
    found.push({ kind: "removed", path: before.path(node) ?? "", before: node, after: -1 });
  const added = (node: number) =>
    found.push({ kind: "added", path: after.path(node) ?? "", before: -1, after: node });
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    if (found.length >= MAX_DIFFERENCES) return { found, more: true };
    const [left, right] = pair;
    if (one.same(left, other, right)) continue;
    const kind = before.nodes.kind(left);
    const next: [number, number][] = [];
    if (kind === OBJECT && after.nodes.kind(right) === OBJECT) {
      const ours = one.members(left);
      const theirs = other.members(right);
      for (const [name, node] of ours) {
        const match = theirs.get(name);
        if (match === undefined) removed(node);
        else next.push([node, match]);
      }
      for (const [name, node] of theirs) if (!ours.has(name)) added(node);
    } else if (kind === ARRAY && after.nodes.kind(right) === ARRAY) {
      const ours = one.items(left);
      const theirs = other.items(right);
      const script =
        ours.length > MAX_ITEMS || theirs.length > MAX_ITEMS
          ? null
          : editScript(
              ours.length,
              theirs.length,
              (a, b) => one.same(ours[a] ?? 0, other, theirs[b] ?? 0),
              MAX_ITEMS,
            );
      // Too long or too different: compared item by item.
      const removals = script ? script.filter(({ kind: step }) => step === "removed") : [];
      let waiting: number[] = [];
      if (script === null) {
        for (let at = 0; at < Math.max(ours.length, theirs.length); at += 1) {
          const [a, b] = [ours[at], theirs[at]];
          if (a !== undefined && b !== undefined) next.push([a, b]);
          else if (a !== undefined) removed(a);
          else if (b !== undefined) added(b);
          if (found.length >= MAX_DIFFERENCES) return { found, more: true };
        }
      } else if (removals.length === 0 && script.length === 0) {
        continue;
      } else {
        const flush = () => {
          for (const node of waiting) removed(node);
          waiting = [];
        };
        // An item removed and one inserted at the same place are one change.
        for (const step of script) {
          if (step.kind === "removed") waiting.push(ours[step.before] ?? 0);
          else if (step.kind === "added") {
            const match = waiting.shift();
            if (match === undefined) added(theirs[step.after] ?? 0);
            else next.push([match, theirs[step.after] ?? 0]);
          } else flush();
        }
        flush();
      }
    } else {
      found.push({ kind: "changed", path: after.path(right) ?? "", before: left, after: right });
    }
    pending.push(...next.toReversed());
  }
  return { found, more: false };
}

/** The values of a tree with a digest each, so that equal ones are recognized without looking inside. */
class Values {
  readonly #tree: JsonTree;
  readonly #low: Int32Array;
  readonly #high: Int32Array;

  constructor(tree: JsonTree) {
    this.#tree = tree;
    const { nodes } = tree;
    this.#low = new Int32Array(nodes.size);
    this.#high = new Int32Array(nodes.size);
    // Children follow their parents, so going backwards all children of a node are known before it.
    for (let node = nodes.size - 1; node >= 0; node -= 1) {
      const [low, high] = this.#digest(node);
      this.#low[node] = low;
      this.#high[node] = high;
    }
  }

  same(node: number, other: Values, match: number): boolean {
    return this.#low[node] === other.#low[match] && this.#high[node] === other.#high[match];
  }

  members(node: number): Map<string, number> {
    const members = new Map<string, number>();
    for (const child of this.items(node)) members.set(this.#name(child), child);
    return members;
  }

  items(node: number): number[] {
    const { nodes } = this.#tree;
    const items: number[] = [];
    for (let child = node + 1; child < nodes.next(node); child = nodes.next(child)) items.push(child);
    return items;
  }

  #name(node: number): string {
    const { nodes, source } = this.#tree;
    const written = (source ?? "").slice(nodes.from(node), nodes.extra(node));
    return meant(written.slice(0, written.lastIndexOf('"') + 1));
  }

  #digest(node: number): readonly [number, number] {
    const { nodes } = this.#tree;
    const kind = nodes.kind(node);
    let low = kind * 0x9e3779b1;
    let high = kind ^ 0x5bd1e995;
    if (kind === OBJECT) {
      for (const [name, child] of this.members(node)) {
        const [nameLow, nameHigh] = digest(name);
        // The digests are added, so that their order does not count.
        low += mixed(nameLow ^ Math.imul(this.#low[child] ?? 0, 0x85ebca6b));
        high += mixed(nameHigh ^ Math.imul(this.#high[child] ?? 0, 0xc2b2ae35));
        low |= 0;
        high |= 0;
      }
    } else if (kind === ARRAY) {
      for (const child of this.items(node)) {
        low = mixed(Math.imul(low, 31) + (this.#low[child] ?? 0));
        high = mixed(Math.imul(high, 33) + (this.#high[child] ?? 0));
      }
    } else {
      const text = this.#tree.text(node);
      const [a, b] = digest(kind === STRING ? meant(text) : kind === NUMBER ? number(text) : text);
      low ^= a;
      high ^= b;
    }
    return [mixed(low), mixed(high)];
  }
}

/** `1.0` and `1` are the same number as long as parsing loses nothing. */
function number(text: string): string {
  const value = Number(text);
  const exact = text.length <= 15 || (Number.isInteger(value) && String(value) === text);
  return exact ? String(value === 0 ? 0 : value) : text;
}

function meant(string: string): string {
  if (!string.includes("\\")) return string;
  try {
    return JSON.stringify(JSON.parse(string));
  } catch {
    return string;
  }
}

function digest(text: string): readonly [number, number] {
  let low = 0x811c9dc5;
  let high = 0x1b873593;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ (code + at), 0x85ebca6b);
    high ^= high >>> 13;
  }
  return [mixed(low ^ text.length), mixed(high)];
}

function mixed(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
