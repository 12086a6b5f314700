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

const NODES = 1_000_000;
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

export function readXml(text: string, language: "xml" | "html" = "xml"): XmlTree {
  const nodes = new Nodes();
  let mistake: ParseMistake | null = null;
  let more = false;
  /** The currently open element. */
  const open = { node: -1, level: 0 };
  let at = 0;
  const fail = (message: string, place: number) => {
    if (language === "xml") mistake ??= { message, place, ...position(text, place) };
  };
  const leaf = (kind: number, from: number, to: number) => {
    nodes.close(nodes.add(kind, open.node, open.level, from, to, 0), to);
  };
  const until = (end: string, from: number, what: string): number => {
    const found = text.indexOf(end, from);
    if (found === -1) fail(`${what} does not end`, from);
    return found === -1 ? text.length : found + end.length;
  };
  const up = (to: number) => {
    nodes.close(open.node, to);
    const inside = open.node + 1;
    const only = nodes.size === inside + 1 && nodes.kind(inside) === TEXT;
    if (only && nodes.to(inside) - nodes.from(inside) <= SHORT) {
      nodes.dropFrom(inside);
      nodes.close(open.node, to);
      nodes.become(open.node, WORDS);
    }
    open.node = nodes.parent(open.node);
    open.level -= 1;
  };
  while (at < text.length) {
    if (nodes.size >= NODES) {
      more = true;
      break;
    }
    const next = text.indexOf("<", at);
    const end = next === -1 ? text.length : next;
    const words = text.slice(at, Math.min(end, at + 4096)).trim();
    if (words !== "" || end - at > 4096) {
      if (open.node < 0) fail("Text outside the root element", at);
      leaf(TEXT, at, end);
    }
    if (next === -1) break;
    at = next;
    if (text.startsWith("<!--", at)) {
      const to = until("-->", at + 4, "A comment");
      leaf(COMMENT, at, to);
      at = to;
    } else if (text.startsWith("<![CDATA[", at)) {
      const to = until("]]>", at + 9, "A CDATA section");
      leaf(DATA, at, to);
      at = to;
    } else if (text.startsWith("<?", at)) {
      const to = until("?>", at + 2, "A processing instruction");
      leaf(OTHER, at, to);
      at = to;
    } else if (text.startsWith("<!", at)) {
      const to = endOfDeclaration(text, at);
      leaf(OTHER, at, to);
      at = to;
    } else if (text.startsWith("</", at)) {
      const to = until(">", at + 2, "An end tag");
      const name = text.slice(at + 2, to - 1).trim();
      let match = open.node;
      let steps = 0;
      while (match >= 0 && steps < 1000 && !same(nameAt(text, nodes.from(match)), name, language)) {
        match = nodes.parent(match);
        steps += 1;
      }
      if (match !== open.node) {
        const expected =
          open.node >= 0 ? `</${nameAt(text, nodes.from(open.node)).slice(0, 40)}>` : "nothing";
        fail(`The end tag </${name.slice(0, 40)}> was found where ${expected} was expected`, at);
      }
      if (match >= 0 && steps < 1000) {
        while (open.node !== match) up(at);
        up(to);
      }
      at = to;
    } else {
      const name = nameAt(text, at);
      if (name === "") {
        fail("A < outside a tag must be written as &lt;", at);
        leaf(TEXT, at, at + 1);
        at += 1;
        continue;
      }
      const to = endOfTag(text, at);
      if (text[to - 1] !== ">") fail(`The tag <${name.slice(0, 40)}> does not end`, at);
      const empty = text[to - 2] === "/" || (language === "html" && VOID.test(name));
      const node = nodes.add(ELEMENT, open.node, open.level, at, to, to);
      at = to;
      if (!empty) {
        open.node = node;
        open.level += 1;
        if (language === "html" && RAW.test(name)) {
          const close = text.slice(at).search(new RegExp(`</${name}\\s*>`, "i"));
          const stop = close === -1 ? text.length : at + close;
          if (stop > at) leaf(TEXT, at, stop);
          at = stop;
        }
      }
    }
  }
  if (open.node >= 0 && !more)
    fail(`<${nameAt(text, nodes.from(open.node)).slice(0, 40)}> is not closed`, text.length);
  while (open.node >= 0) up(Math.min(at, text.length));

  const openingEnd = (node: number) => nodes.extra(node);
  return {
    nodes,
    source: text,
    mistake,
    more,
    tokens(node) {
      const kind = nodes.kind(node);
      const from = nodes.from(node);
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
      const tokens = tagTokens(whole(SHOWN, openingEnd(node)));
      if (kind === WORDS) {
        const words = text
          .slice(openingEnd(node), nodes.to(node))
          .replace(/<\/[^<]*$/, "")
          .trim();
        tokens.push(...escapeDeceptive("plain", words.replaceAll(/\s+/g, " ")), [
          "mark",
          `</${nameAt(text, from)}>`,
        ]);
      } else if (!nodes.isEmpty(node)) tokens.push(["mark", ` ${nodes.children(node, 100_000)}`]);
      return tokens;
    },
    path(node) {
      const steps: string[] = [];
      for (let step = node; step >= 0; step = nodes.parent(step)) {
        const element = nodes.kind(step) === ELEMENT || nodes.kind(step) === WORDS;
        if (element) steps.push(nameAt(text, nodes.from(step)));
        else if (step === node) steps.push(nodes.kind(step) === COMMENT ? "comment()" : "text()");
      }
      return `/${steps.toReversed().join("/")}`;
    },
    text: (node) => text.slice(nodes.from(node), nodes.to(node)),
  };
}

function same(one: string, other: string, language: "xml" | "html"): boolean {
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
