// A captured page made harmless: markup and its own styles stay, everything that runs, loads or leads away goes.
// The frame it is shown in forbids the same once more, and the policy of the page a third time.
import { inertMarkup } from "../../parts/trusted";

/** More than this of a page is not shown. */
export const PAGE_LIMIT = 512 * 1024;

const GONE =
  "script, noscript, meta, base, link, iframe, frame, frameset, object, embed, applet, portal, template, audio, video, source, track, dialog";
/** Everything that names something to load or a place to go to, in HTML and in SVG. */
const LEADS =
  /^(?:href|xlink:href|src|srcset|action|formaction|ping|poster|background|data|cite|longdesc|lowsrc|manifest|codebase|classid|profile|archive|imagesrcset|attributionsrc|style|target|autofocus|is|slot|popover|popovertarget|commandfor|command)$/i;
const POLICY = "default-src 'none'; style-src data:; img-src data:";
/** Pictures that stand in the page itself. Not SVG: what is in there cannot be looked through so simply. */
const PICTURE = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,[\w+/=\s]*$/i;

/** A whole document for a frame without scripts, forms and an origin. */
export function harmless(markup: string): string {
  const parsed = new DOMParser().parseFromString(inertMarkup(markup), "text/html");
  const sheets = [...parsed.querySelectorAll("style")].map((style) => style.textContent ?? "");
  for (const element of parsed.querySelectorAll(`${GONE}, style`)) element.remove();
  const rules: string[] = [];
  for (const element of parsed.querySelectorAll("*")) {
    for (const { name, value } of Array.from(element.attributes)) {
      if (name === "style") {
        // Styles at an element would be refused as inline; as a rule they may stay.
        element.setAttribute("data-postern-style", String(rules.length));
        rules.push(`[data-postern-style="${rules.length}"]{${value}}`);
      }
      const isPicture = name === "src" && element.localName === "img" && PICTURE.test(value);
      if (!isPicture && (LEADS.test(name) || /^on/i.test(name))) element.removeAttribute(name);
    }
  }
  const head = [
    "<!doctype html><html><head>",
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="referrer" content="no-referrer">',
    ...[BASE, ...sheets, rules.join("\n")].filter((sheet) => sheet.trim() !== "").map(linked),
    "</head>",
  ].join("");
  const body = parsed.body?.outerHTML ?? "";
  return inertMarkup(`${head}${body}</html>`);
}

const BASE = ":root{color-scheme:light;background:#fff;color:#000;font-family:sans-serif}";

function linked(sheet: string): string {
  return `<link rel="stylesheet" href="data:text/css;charset=utf-8,${encodeURIComponent(wellFormed(sheet))}">`;
}

/** Lone halves of characters cannot be written into an address. */
function wellFormed(text: string): string {
  return text.replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

/** A picture of SVG in a document of its own, for the same frame: what it draws and runs stays in there. */
export function pictured(svg: string): string {
  const address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(wellFormed(svg))}`;
  return inertMarkup(
    `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
      `${linked(`${BASE}body{margin:12px}img{max-width:100%}`)}</head>` +
      `<body><img alt="The captured picture" src="${address}"></body></html>`,
  );
}
