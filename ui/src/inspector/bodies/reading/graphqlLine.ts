// Highlights one line of GraphQL, or of the JSON of its variables.
import type { Token, TokenKind } from "./rows";

const PIECE =
  /(?<mark>#.*|[{}()[\],:!=@|&]|\.\.\.)|(?<key>\$\w+|"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"""|"(?:[^"\\]|\\.)*"?)|(?<number>-?\d[\d.eE+-]*)|(?<word>\b(?:query|mutation|subscription|fragment|on|true|false|null)\b)|(?<plain>\w+|.)/gsu;

export function graphqlLine(line: string): Token[] {
  const tokens: Token[] = [];
  for (const { groups } of line.matchAll(PIECE)) {
    const found = Object.entries(groups ?? {}).find(([, text]) => text !== undefined);
    if (found) tokens.push([found[0] as TokenKind, found[1] ?? ""]);
  }
  return tokens;
}
