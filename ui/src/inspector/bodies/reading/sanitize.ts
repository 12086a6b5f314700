// Sanitizes a captured page: markup and its own styles stay; everything that runs, loads or navigates is removed. This
// works on the text, in the worker. The frame determines how it is parsed and forbids the same things again,
// as the policy of the surrounding page does.
import { Parser } from "htmlparser2";

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
const NAME = /^[a-z][\w:-]{0,60}$/;
const POLICY = "default-src 'none'; style-src data:; img-src data:";
/** Images embedded in the page. Not SVG, which can contain anything. */
const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,[\w+/=\s]*$/i;
const BASE_STYLE = ":root{color-scheme:light;background:#fff;color:#000;font-family:sans-serif}";

export function sanitizePage(text: string): SanitizedPage {
  const page = new PageFilter();
  let tags = 0;
  const counted = (pass: () => void) => {
    tags += 1;
    if (tags > MAX_TAGS) parser.pause();
    else pass();
  };
  const parser = new Parser(
    {
      onopentag: (name, attributes) => counted(() => page.open(name, attributes)),
      onclosetag: (name, isImplied) => (isImplied ? page.leave(name) : counted(() => page.close(name))),
      ontext: (written) => page.text(written),
    },
    // Text stays as it was written: the frame decodes it once.
    { decodeEntities: false },
  );
  parser.write(text);
  if (tags <= MAX_TAGS) parser.end();
  const sheets = [BASE_STYLE, ...page.sheets, page.rules.join("\n")].filter((sheet) => sheet.trim() !== "");
  return {
    markup: `${head(sheets)}<body>${page.pieces.join("")}</body></html>`,
    cut: tags > MAX_TAGS,
  };
}

/** Collects what may stay of a page. */
class PageFilter {
  readonly pieces: string[] = [];
  readonly sheets: string[] = [];
  readonly rules: string[] = [];
  /** The element that is being removed with its content, and how many of its name are open. */
  #removed: { name: string; depth: number } | null = null;
  #inStyle = false;

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#removed !== null) {
      if (name === this.#removed.name) this.#removed.depth += 1;
    } else if (name === "style") this.#inStyle = true;
    else if (REMOVED_ELEMENTS.test(name)) this.#removed = { name, depth: 1 };
    else if (name === "textarea") this.pieces.push("<textarea disabled>");
    else if (isKept(name)) this.pieces.push(`<${name}${this.#attributes(name, attributes)}>`);
  }

  close(name: string): void {
    if (this.#removed === null && name !== "style" && isKept(name)) this.pieces.push(`</${name}>`);
    this.leave(name);
  }

  /** The end of an element that has no end tag of its own: the frame adds it again. */
  leave(name: string): void {
    if (name === this.#removed?.name) {
      this.#removed.depth -= 1;
      if (this.#removed.depth === 0) this.#removed = null;
    } else if (name === "style") this.#inStyle = false;
  }

  text(written: string): void {
    if (this.#removed !== null) return;
    if (this.#inStyle) this.sheets.push(written);
    else this.pieces.push(written.replaceAll("<", "&lt;"));
  }

  #attributes(element: string, attributes: Readonly<Record<string, string>>): string {
    const output: string[] = [];
    for (const [name, value] of Object.entries(attributes)) {
      if (!/^[A-Za-z][\w:.-]*$/.test(name)) continue;
      if (name === "style") {
        // Inline styles of elements would be refused by the policy; as rules in a style sheet they may stay.
        output.push(` data-postern-style="${this.rules.length}"`);
        this.rules.push(`[data-postern-style="${this.rules.length}"]{${unescaped(value)}}`);
      } else if (
        !REMOVED_ATTRIBUTES.test(name) ||
        (element === "img" && name === "src" && DATA_IMAGE.test(value))
      )
        output.push(` ${name}="${value.replaceAll('"', "&quot;")}"`);
    }
    return output.join("");
  }
}

function isKept(name: string): boolean {
  return NAME.test(name) && !REMOVED_ELEMENTS.test(name) && !REMOVED_TAGS.test(name);
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

function unescaped(value: string): string {
  return value.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}
