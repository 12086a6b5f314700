// Sanitizes a captured page: markup and its own styles stay; everything that runs, loads or navigates is removed. This
// works on the text, in the worker. The frame determines how it is parsed and forbids the same things again,
// as the policy of the surrounding page does.

/** Maximum length of a page, in characters. */
export const MAX_PAGE_LENGTH = 512 * 1024;
/** Maximum number of tags, which bounds the cost in the frame. */
const MAX_TAGS = 20_000;

export interface SanitizedPage {
  /** A complete document for a frame without scripts, forms and origin. */
  markup: string;
  /** The page was cut. */
  cut: boolean;
}

/** Elements removed with their content. */
const REMOVED_ELEMENTS =
  /^(?:script|noscript|iframe|frameset|noframes|object|applet|portal|fencedframe|template|audio|video|xmp|noembed|title)$/;
/** Tags removed without their content. */
const REMOVED_TAGS =
  /^(?:meta|base|link|frame|embed|picture|dialog|canvas|map|area|source|track|html|head|plaintext|param|animate|animatetransform|animatemotion|set|use|foreignobject|feimage|image|mpath|discard)$/;
/** Attributes that load, navigate or run something, in HTML and in SVG. */
const REMOVED_ATTRIBUTES =
  /^(?:on.*|href|xlink:href|src|srcset|srcdoc|action|formaction|ping|poster|background|data|cite|longdesc|lowsrc|dynsrc|manifest|codebase|classid|profile|archive|imagesrcset|attributionsrc|target|autofocus|is|slot|shadowrootmode|popover|popovertarget|commandfor|command|usemap|xmlns.*|xml:base|http-equiv)$/i;
const POLICY = "default-src 'none'; style-src data:; img-src data:";
/** Images embedded in the page. Not SVG, which can contain anything. */
const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,[\w+/=\s]*$/i;
const BASE_STYLE = ":root{color-scheme:light;background:#fff;color:#000;font-family:sans-serif}";

export function sanitizePage(text: string): SanitizedPage {
  const sheets: string[] = [];
  const rules: string[] = [];
  const pieces: string[] = [];
  let at = 0;
  let tags = 0;
  while (at < text.length && tags < MAX_TAGS) {
    const next = text.indexOf("<", at);
    if (next !== at) pieces.push(text.slice(at, next === -1 ? text.length : next));
    if (next === -1) {
      at = text.length;
      break;
    }
    tags += 1;
    const name = /^<\/?([A-Za-z][\w:-]{0,60})/.exec(text.slice(next, next + 64))?.[1]?.toLowerCase();
    if (text.startsWith("<!--", next)) at = behind(text, "-->", next + 4);
    else if (text[next + 1] === "!" || text[next + 1] === "?") at = behind(text, ">", next);
    else if (name === undefined) {
      pieces.push("&lt;");
      at = next + 1;
    } else if (text[next + 1] === "/") {
      at = behind(text, ">", next);
      if (!REMOVED_ELEMENTS.test(name) && !REMOVED_TAGS.test(name)) pieces.push(`</${name}>`);
    } else {
      const end = endOfTag(text, next);
      at = end;
      if (name === "style") {
        at = endOfContent(text, name, end);
        sheets.push(text.slice(end, at));
      } else if (REMOVED_ELEMENTS.test(name)) at = endOfContent(text, name, end);
      else if (name === "textarea") {
        at = endOfContent(text, name, end);
        pieces.push(`<textarea disabled>${text.slice(end, at).replaceAll("<", "&lt;")}`);
      } else if (!REMOVED_TAGS.test(name))
        pieces.push(`<${name}${attributes(text.slice(next + 1 + name.length, end), name, rules)}>`);
    }
  }
  const all = [BASE_STYLE, ...sheets, rules.join("\n")].filter((sheet) => sheet.trim() !== "");
  return {
    markup: `${head(all)}<body>${pieces.join("")}</body></html>`,
    cut: at < text.length,
  };
}

/** Embeds an SVG drawing in a document of its own, which confines what it draws and runs. */
export function embedSvg(svg: string): SanitizedPage {
  const address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg.toWellFormed())}`;
  const sheet = `${BASE_STYLE}body{margin:12px}img{max-width:100%}`;
  return {
    markup: `${head([sheet])}<body><img alt="The captured image" src="${address}"></body></html>`,
    cut: false,
  };
}

function head(sheets: readonly string[]): string {
  const links = sheets.map(
    (sheet) =>
      `<link rel="stylesheet" href="data:text/css;charset=utf-8,${encodeURIComponent(sheet.toWellFormed())}">`,
  );
  return (
    `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
    `<meta name="referrer" content="no-referrer">${links.join("")}</head>`
  );
}

const ATTRIBUTE = /([^\s=<>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;

function attributes(text: string, element: string, rules: string[]): string {
  const output: string[] = [];
  for (const [, name = "", double, single, bare] of text.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? bare ?? "";
    if (!/^[A-Za-z][\w:.-]*$/.test(name)) continue;
    if (name.toLowerCase() === "style") {
      // Inline styles of elements would be refused by the policy; as rules in a style sheet they may stay.
      output.push(` data-postern-style="${rules.length}"`);
      rules.push(`[data-postern-style="${rules.length}"]{${unescaped(value)}}`);
    } else if (
      !REMOVED_ATTRIBUTES.test(name) ||
      (element === "img" && name.toLowerCase() === "src" && DATA_IMAGE.test(value))
    )
      output.push(` ${name}="${value.replaceAll('"', "&quot;")}"`);
  }
  return output.join("");
}

function unescaped(value: string): string {
  return value.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}

function behind(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? text.length : found + what.length;
}

/** Finds the end of a tag; a `>` in a quoted value does not end it. */
function endOfTag(text: string, from: number): number {
  let quote = "";
  for (let at = from + 1; at < text.length; at += 1) {
    const sign = text[at] ?? "";
    if (quote !== "") quote = sign === quote ? "" : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === ">") return at + 1;
  }
  return text.length;
}

/** Start of the end tag, which is handled next. */
function endOfContent(text: string, name: string, from: number): number {
  const end = new RegExp(`</${name}(?=[\\s/>])`, "gi");
  end.lastIndex = from;
  return end.exec(text)?.index ?? text.length;
}
