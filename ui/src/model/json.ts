// A JSON reader that keeps numbers as they were written, knows where a mistake is and cannot be made to overflow.

export type JsonNode =
  | { kind: "object"; members: { key: string; value: JsonNode }[] }
  | { kind: "array"; items: JsonNode[] }
  /** `text` is the literal as it was sent, quotes included. */
  | { kind: "string" | "number" | "word"; text: string };

export interface JsonMistake {
  message: string;
  line: number;
  column: number;
}

export type JsonResult = { ok: true; root: JsonNode } | { ok: false; mistake: JsonMistake };

export const DEPTH_LIMIT = 500;
// oxlint-disable-next-line no-control-regex -- JSON forbids them inside strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\r\n]*/y;

type Open =
  | { node: Extract<JsonNode, { kind: "object" }>; key: string }
  | { node: Extract<JsonNode, { kind: "array" }> };

/** Reads without recursion, so that depth costs no stack. */
export function parseJson(text: string): JsonResult {
  let at = 0;
  const open: Open[] = [];
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return null;
    at += match[0].length;
    return match[0];
  };
  const fail = (message: string): JsonResult => ({ ok: false, mistake: { message, ...position(text, at) } });
  const readKey = (): string | null => {
    take(SPACE);
    const key = take(STRING);
    if (key === null) return null;
    take(SPACE);
    if (text[at] !== ":") return null;
    at += 1;
    return key;
  };

  for (;;) {
    take(SPACE);
    let value: JsonNode;
    if (text[at] === "{" || text[at] === "[") {
      if (open.length >= DEPTH_LIMIT) return fail(`Nested deeper than ${DEPTH_LIMIT} levels`);
      const isObject = text[at] === "{";
      at += 1;
      take(SPACE);
      if (text[at] === (isObject ? "}" : "]")) {
        at += 1;
        value = isObject ? { kind: "object", members: [] } : { kind: "array", items: [] };
      } else if (isObject) {
        const key = readKey();
        if (key === null) return fail("Expected a member name in double quotes and a colon");
        open.push({ node: { kind: "object", members: [] }, key });
        continue;
      } else {
        open.push({ node: { kind: "array", items: [] } });
        continue;
      }
    } else {
      const literal = readLiteral(take);
      if (literal === null) return fail(at >= text.length ? "The text ends too early" : "Expected a value");
      value = literal;
    }
    for (;;) {
      const top = open.at(-1);
      take(SPACE);
      if (!top)
        return at < text.length ? fail("Unexpected text behind the value") : { ok: true, root: value };
      if ("key" in top) top.node.members.push({ key: top.key, value });
      else top.node.items.push(value);
      const close = "key" in top ? "}" : "]";
      if (text[at] === ",") {
        at += 1;
        if ("key" in top) {
          const key = readKey();
          if (key === null) return fail("Expected a member name in double quotes and a colon");
          top.key = key;
        }
        break;
      }
      if (text[at] !== close)
        return fail(at >= text.length ? "The text ends too early" : `Expected , or ${close}`);
      at += 1;
      open.pop();
      value = top.node;
    }
  }
}

function readLiteral(take: (pattern: RegExp) => string | null): JsonNode | null {
  const string = take(STRING);
  if (string !== null) return { kind: "string", text: string };
  const number = take(NUMBER);
  if (number !== null) return { kind: "number", text: number };
  const word = take(WORD);
  return word === null ? null : { kind: "word", text: word };
}

function position(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const lastBreak = before.lastIndexOf("\n");
  return { line: before.split("\n").length, column: at - lastBreak };
}
