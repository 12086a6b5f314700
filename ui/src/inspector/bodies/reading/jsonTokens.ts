// Highlights one line of JSON. JSON strings never span lines, so each line can be tokenized alone.
import type { Token } from "./rows";

const PIECE =
  /("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)\b|([{}[\],:]+)|([^"\d{}[\],:tfn-]+|.)/gsu;

export function jsonTokens(line: string): Token[] {
  const tokens: Token[] = [];
  for (const [, string, colon, number, word, mark, other] of line.matchAll(PIECE)) {
    if (string !== undefined) {
      tokens.push([colon === undefined ? "string" : "key", string]);
      if (colon !== undefined) tokens.push(["mark", colon]);
    } else if (number !== undefined) tokens.push(["number", number]);
    else if (word !== undefined) tokens.push(["word", word]);
    else if (mark !== undefined) tokens.push(["mark", mark]);
    else if (other !== undefined) tokens.push(["plain", other]);
  }
  return tokens;
}
