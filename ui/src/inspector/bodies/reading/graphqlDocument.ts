// A GraphQL document laid out with one field per line (GraphQL, October 2021, section 2). Its tokens are not changed, so
// what is shown is what was sent.

type Kind = "name" | "number" | "string" | "comment" | "mark";

export interface GraphqlToken {
  kind: Kind;
  text: string;
}

const TOKEN =
  /[\s,\ufeff]*(?:(?<comment>#[^\n\r]*)|(?<name>[_A-Za-z][_0-9A-Za-z]*)|(?<number>-?\d[0-9.eE+-]*)|(?<string>"""(?:\\"""|(?!""")[\s\S])*"""|"(?:\\.|[^"\\\n\r])*")|(?<mark>\.\.\.|[!$&()*+:=@[\]{|}]))/y;

/** The tokens of a document; null where a part of it is not GraphQL. */
export function graphqlTokens(text: string): GraphqlToken[] | null {
  const tokens: GraphqlToken[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; ; at = TOKEN.lastIndex) {
    const groups = TOKEN.exec(text)?.groups;
    if (!groups) return text.slice(at).replaceAll(/[\s,\ufeff]/g, "") === "" ? tokens : null;
    const found = Object.entries(groups).find(([, piece]) => piece !== undefined);
    if (found) tokens.push({ kind: found[0] as Kind, text: found[1] ?? "" });
  }
}

/** Maximum length of a document that is laid out, in characters. */
const MAX_LENGTH = 512 * 1024;
const MAX_INDENT = 40;

/** Null where the document is not GraphQL or too long. */
export function formatGraphql(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const tokens = graphqlTokens(text);
  if (tokens === null) return null;
  const layout = new Layout();
  for (const token of tokens) layout.add(token);
  return layout.text();
}

class Layout {
  #lines: string[] = [];
  #line = "";
  /** Braces that are open outside of parentheses. */
  #level = 0;
  /** Parentheses and brackets that are open, and the braces inside them. */
  #inside = 0;
  #last: GraphqlToken | null = null;

  add(token: GraphqlToken): void {
    const { kind, text } = token;
    if (kind === "comment") {
      this.#break();
      this.#line = text;
      this.#break();
    } else if (this.#inside === 0 && text === "{") {
      this.#put("{", this.#line !== "");
      this.#break();
      this.#level += 1;
    } else if (this.#inside === 0 && text === "}" && kind === "mark") {
      this.#break();
      this.#level = Math.max(this.#level - 1, 0);
      this.#put("}", false);
      this.#break();
      if (this.#level === 0) this.#lines.push("");
    } else {
      if (this.#beginsLine(token)) this.#break();
      this.#put(text, this.#isApart(token));
    }
    if (kind === "mark" && "([{".includes(text) && (text !== "{" || this.#inside > 0)) this.#inside += 1;
    if (kind === "mark" && ")]}".includes(text) && this.#inside > 0) this.#inside -= 1;
    this.#last = token;
  }

  text(): string {
    this.#break();
    return this.#lines.join("\n").trimEnd();
  }

  /** Fields and spreads begin a line unless they complete what is before them. */
  #beginsLine({ kind, text }: GraphqlToken): boolean {
    const last = this.#last;
    if (this.#inside > 0 || this.#level === 0 || last === null) return false;
    if (text === "...") return true;
    if (kind !== "name" && kind !== "string") return false;
    if (last.kind === "mark") return ")]!}".includes(last.text);
    if (last.kind !== "name") return true;
    // The condition of a fragment: `... on Type`.
    return last.text !== "on" && !(text === "on" && this.#line.endsWith("..."));
  }

  /** Whether a space is before it. */
  #isApart({ text }: GraphqlToken): boolean {
    const last = this.#last?.text;
    if (this.#line === "") return false;
    if (last === "..." && text !== "on" && text !== "@") return false;
    if (text.length === 1 && "!:)]".includes(text)) return false;
    if (text === "(" || (text === "}" && last === "{")) return false;
    return !(last !== undefined && ["(", "[", "$", "@"].includes(last));
  }

  #put(text: string, apart: boolean): void {
    if (this.#inside > 0 && apart && this.#separates(text)) this.#line += ",";
    this.#line += apart ? ` ${text}` : text;
  }

  /** Arguments, variables and items of lists are separated by commas, which are white space in GraphQL. */
  #separates(text: string): boolean {
    const last = this.#last;
    if (last === null || last.text === ":" || last.text === "=" || last.text === "{") return false;
    if (["=", "@", "&", "|", "}", "{"].includes(text) && text !== "{") return false;
    return last.kind !== "mark" || [")", "]", "}", "!"].includes(last.text);
  }

  #break(): void {
    if (this.#line === "") return;
    this.#lines.push("  ".repeat(Math.min(this.#level, MAX_INDENT)) + this.#line);
    this.#line = "";
  }
}
