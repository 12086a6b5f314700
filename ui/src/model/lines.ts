// Text cut into display lines with kinds for colour, so that a list can show any part of it at once.
import type { JsonNode } from "./json";

export type TokenKind = "plain" | "key" | "string" | "number" | "word" | "mark";
export type Token = readonly [TokenKind, string];
export interface Line {
  tokens: Token[];
  /** Number in the original text, or null where one long line goes on. */
  number: number | null;
}

/** A longer line is shown as several: browsers lay out endless lines very slowly. */
const LINE_LIMIT = 2000;

export function textLines(text: string): Line[] {
  return text.split(/\r\n|\n|\r/).flatMap((line, index) => broken([["plain", line]], index + 1));
}

/** Indented by two spaces; numbers and strings exactly as they were sent. */
export function jsonLines(root: JsonNode): Line[] {
  const lines: Line[] = [];
  let current: Token[] = [];
  const end = (indent: number) => {
    lines.push(...broken(current, lines.length + 1));
    current = indent > 0 ? [["plain", "  ".repeat(indent)]] : [];
  };
  type Step = { node: JsonNode; depth: number } | { text: Token } | { line: number };
  const steps: Step[] = [{ node: root, depth: 0 }];
  for (let step = steps.pop(); step; step = steps.pop()) {
    if ("text" in step) current.push(step.text);
    else if ("line" in step) end(step.line);
    else steps.push(...expand(step.node, step.depth).toReversed());
  }
  end(0);
  return lines;

  function expand(node: JsonNode, depth: number): Step[] {
    if (node.kind !== "object" && node.kind !== "array") return [{ text: [node.kind, node.text] }];
    const [opening, closing] = node.kind === "object" ? ["{", "}"] : ["[", "]"];
    const entries: { key?: string; value: JsonNode }[] =
      node.kind === "object" ? node.members : node.items.map((value) => ({ value }));
    if (entries.length === 0) return [{ text: ["mark", opening + closing] }];
    const inner: Step[] = [{ text: ["mark", opening] }];
    entries.forEach((entry, index) => {
      inner.push({ line: depth + 1 });
      if (entry.key !== undefined) inner.push({ text: ["key", entry.key] }, { text: ["mark", ": "] });
      inner.push({ node: entry.value, depth: depth + 1 });
      if (index < entries.length - 1) inner.push({ text: ["mark", ","] });
    });
    inner.push({ line: depth }, { text: ["mark", closing] });
    return inner;
  }
}

function broken(tokens: readonly Token[], number: number): Line[] {
  const lines: Line[] = [];
  let current: Token[] = [];
  let room = LINE_LIMIT;
  for (const [kind, text] of tokens) {
    let rest = text;
    while (rest.length > room) {
      current.push([kind, rest.slice(0, room)]);
      rest = rest.slice(room);
      lines.push({ tokens: current, number: lines.length === 0 ? number : null });
      current = [];
      room = LINE_LIMIT;
    }
    if (rest !== "") current.push([kind, rest]);
    room -= rest.length;
  }
  lines.push({ tokens: current, number: lines.length === 0 ? number : null });
  return lines;
}

/** Offset, sixteen bytes and their printable characters. */
export function hexLine(bytes: Uint8Array, row: number): { offset: string; hex: string; text: string } {
  const part = bytes.subarray(row * 16, row * 16 + 16);
  const cells = Array.from(part, (byte) => byte.toString(16).padStart(2, "0"));
  const left = cells.slice(0, 8).join(" ").padEnd(23);
  const right = cells.slice(8).join(" ").padEnd(23);
  const text = Array.from(part, (byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·",
  ).join("");
  return { offset: (row * 16).toString(16).padStart(6, "0"), hex: `${left}  ${right}`, text };
}
