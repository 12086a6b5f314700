// XML as a tree of elements, parsed as written: no entity is expanded, nothing is loaded, no depth uses stack.
import { position, type ParseMistake } from "./json";
import { Nodes } from "./nodes";
import type { NodeFormat } from "./outline";
import { escapeDeceptive, type Token } from "./rows";

const ELEMENT = 1;
const TEXT = 2;
const COMMENT = 3;
const DATA = 4;
const OTHER = 5;
/** An element that contains only a short text and fits on one row. */
const WORDS = 6;

const MAX_NODES = 1_000_000;
/** Blanks up to this length are no text of their own. */
const MAX_BLANK = 4096;
/** How many open elements an end tag is compared with: a deep body must not cost the square of its depth. */
const MAX_STEPS = 1000;
const SHOWN = 600;
const SHORT = 200;
/** HTML void elements. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;
/** HTML elements with raw text content. */
const RAW = /^(?:script|style|textarea|title)$/i;

export interface XmlTree extends NodeFormat {
  readonly mistake: ParseMistake | null;
  readonly more: boolean;
}

export type XmlLanguage = "xml" | "html";

export function readXml(text: string, language: XmlLanguage = "xml"): XmlTree {
  const reader = new XmlReader(text, language);
  reader.read();
  const { nodes, mistake, more } = reader;
  return {
    nodes,
    source: text,
    mistake,
    more,
    tokens: (node) => tokensOf(text, nodes, node),
    path: (node) => pathOf(text, nodes, node),
    text: (node) => text.slice(nodes.from(node), nodes.to(node)),
  };
}

/** Reads from tag to tag; whatever is wrong is noted, and the rest is read all the same. */
class XmlReader {
  readonly nodes = new Nodes();
  mistake: ParseMistake | null = null;
  more = false;
  readonly #text: string;
  readonly #language: XmlLanguage;
  /** The currently open element. */
  readonly #open = { node: -1, level: 0 };

  constructor(text: string, language: XmlLanguage) {
    this.#text = text;
    this.#language = language;
  }

  read(): void {
    const text = this.#text;
    let at = 0;
    while (at < text.length && !this.more) {
      const next = text.indexOf("<", at);
      this.#words(at, next === -1 ? text.length : next);
      at = next === -1 ? text.length : this.#markup(next);
      this.more = this.nodes.size >= MAX_NODES && at < text.length;
    }
    if (this.#open.node >= 0 && !this.more)
      this.#fail(`<${this.#openName().slice(0, 40)}> is not closed`, text.length);
    while (this.#open.node >= 0) this.#up(Math.min(at, text.length));
  }

  #fail(message: string, place: number): void {
    if (this.#language === "xml") this.mistake ??= { message, place, ...position(this.#text, place) };
  }

  #words(from: number, to: number): void {
    const isLong = to - from > MAX_BLANK;
    if (!isLong && this.#text.slice(from, to).trim() === "") return;
    if (this.#open.node < 0) this.#fail("Text outside the root element", from);
    this.#leaf(TEXT, from, to);
  }

  /** Reads what begins with `<`; returns its end. */
  #markup(at: number): number {
    const text = this.#text;
    if (text.startsWith("<!--", at)) return this.#leaf(COMMENT, at, this.#until("-->", at + 4, "A comment"));
    if (text.startsWith("<![CDATA[", at))
      return this.#leaf(DATA, at, this.#until("]]>", at + 9, "A CDATA section"));
    if (text.startsWith("<?", at))
      return this.#leaf(OTHER, at, this.#until("?>", at + 2, "A processing instruction"));
    if (text.startsWith("<!", at)) return this.#leaf(OTHER, at, endOfDeclaration(text, at));
    if (text.startsWith("</", at)) return this.#endTag(at);
    const name = nameAt(text, at);
    if (name !== "") return this.#startTag(at, name);
    this.#fail("A < outside a tag must be written as &lt;", at);
    return this.#leaf(TEXT, at, at + 1);
  }

  #leaf(kind: number, from: number, to: number): number {
    this.nodes.close(this.nodes.add(kind, this.#open.node, this.#open.level, from, to, 0), to);
    return to;
  }

  #until(end: string, from: number, what: string): number {
    const found = this.#text.indexOf(end, from);
    if (found === -1) this.#fail(`${what} does not end`, from);
    return found === -1 ? this.#text.length : found + end.length;
  }

  #startTag(at: number, name: string): number {
    const text = this.#text;
    const isHtml = this.#language === "html";
    const to = endOfTag(text, at);
    if (text[to - 1] !== ">") this.#fail(`The tag <${name.slice(0, 40)}> does not end`, at);
    const node = this.nodes.add(ELEMENT, this.#open.node, this.#open.level, at, to, to);
    if (text[to - 2] === "/" || (isHtml && VOID.test(name))) return to;
    this.#open.node = node;
    this.#open.level += 1;
    if (!isHtml || !RAW.test(name)) return to;
    const close = text.slice(to).search(new RegExp(`</${name}\\s*>`, "i"));
    const end = close === -1 ? text.length : to + close;
    return end > to ? this.#leaf(TEXT, to, end) : to;
  }

  #endTag(at: number): number {
    const { nodes } = this;
    const to = this.#until(">", at + 2, "An end tag");
    const name = this.#text.slice(at + 2, to - 1).trim();
    let match = this.#open.node;
    let steps = 0;
    while (
      match >= 0 &&
      steps < MAX_STEPS &&
      !same(nameAt(this.#text, nodes.from(match)), name, this.#language)
    ) {
      match = nodes.parent(match);
      steps += 1;
    }
    if (match !== this.#open.node) {
      const expected = this.#open.node >= 0 ? `</${this.#openName().slice(0, 40)}>` : "nothing";
      this.#fail(`The end tag </${name.slice(0, 40)}> was found where ${expected} was expected`, at);
    }
    if (match >= 0 && steps < MAX_STEPS) {
      while (this.#open.node !== match) this.#up(at);
      this.#up(to);
    }
    return to;
  }

  #openName(): string {
    return nameAt(this.#text, this.nodes.from(this.#open.node));
  }

  /** Closes the open element; one that contains only a short text becomes one row. */
  #up(to: number): void {
    const { nodes } = this;
    const { node } = this.#open;
    nodes.close(node, to);
    const inside = node + 1;
    const only = nodes.size === inside + 1 && nodes.kind(inside) === TEXT;
    if (only && nodes.to(inside) - nodes.from(inside) <= SHORT) {
      nodes.dropFrom(inside);
      nodes.close(node, to);
      nodes.become(node, WORDS);
    }
    this.#open.node = nodes.parent(node);
    this.#open.level -= 1;
  }
}

function tokensOf(text: string, nodes: Nodes, node: number): Token[] {
  const kind = nodes.kind(node);
  const from = nodes.from(node);
  const openingEnd = nodes.extra(node);
  const whole = (limit: number, to = nodes.to(node)) => {
    const shown = text
      .slice(from, Math.min(to, from + limit))
      .trim()
      .replaceAll(/\s+/g, " ");
    return to - from > limit ? `${shown}…` : shown;
  };
  if (kind === TEXT) return escapeDeceptive("plain", whole(SHOWN));
  if (kind === COMMENT || kind === OTHER) return escapeDeceptive("mark", whole(SHOWN));
  if (kind === DATA) return escapeDeceptive("string", whole(SHOWN));
  const tokens = tagTokens(whole(SHOWN, openingEnd));
  if (kind === WORDS) {
    const words = text
      .slice(openingEnd, nodes.to(node))
      .replace(/<\/[^<]*$/, "")
      .trim();
    tokens.push(...escapeDeceptive("plain", words.replaceAll(/\s+/g, " ")), [
      "mark",
      `</${nameAt(text, from)}>`,
    ]);
  } else if (!nodes.isEmpty(node)) tokens.push(["mark", ` ${nodes.children(node, 100_000)}`]);
  return tokens;
}

function pathOf(text: string, nodes: Nodes, node: number): string {
  const steps: string[] = [];
  for (let step = node; step >= 0; step = nodes.parent(step)) {
    const isElement = nodes.kind(step) === ELEMENT || nodes.kind(step) === WORDS;
    if (isElement) steps.push(nameAt(text, nodes.from(step)));
    else if (step === node) steps.push(nodes.kind(step) === COMMENT ? "comment()" : "text()");
  }
  return `/${steps.toReversed().join("/")}`;
}

function same(one: string, other: string, language: XmlLanguage): boolean {
  return language === "xml" ? one === other : one.toLowerCase() === other.toLowerCase();
}

const NAME = /<([A-Za-z_:\u0080-\uffff][\w:.\-\u0080-\uffff]{0,400})/y;

function nameAt(text: string, at: number): string {
  NAME.lastIndex = at;
  return NAME.exec(text)?.[1] ?? "";
}

/** Finds the end of a tag; a `>` in a quoted value does not end it. */
function endOfTag(text: string, from: number): number {
  let quote = 0;
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === 34 || code === 39) quote = code;
    else if (code === 62) return at + 1;
  }
  return text.length;
}

/** Finds the end of a document type, which may contain declarations in brackets. */
function endOfDeclaration(text: string, from: number): number {
  let inside = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 91) inside += 1;
    else if (code === 93) inside = Math.max(inside - 1, 0);
    else if (code === 62 && inside === 0) return at + 1;
  }
  return text.length;
}

const ATTRIBUTE = /([^\s=<>"'/]+)(\s*=\s*)("[^"]*"?|'[^']*'?|[^\s"'>]+)|(<\/?[^\s>/]+|\/?>)|(\s+|.)/gsu;

function tagTokens(tag: string): Token[] {
  const tokens: Token[] = [];
  for (const [, name, equals, value, mark, other] of tag.matchAll(ATTRIBUTE)) {
    if (name !== undefined) {
      tokens.push(
        ...escapeDeceptive("key", name),
        ["mark", equals ?? ""],
        ...escapeDeceptive("string", value ?? ""),
      );
    } else if (mark !== undefined) tokens.push(...escapeDeceptive("word", mark));
    else if (other !== undefined) tokens.push(...escapeDeceptive("plain", other));
  }
  return tokens;
}
