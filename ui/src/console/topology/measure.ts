// Widths of texts as the page draws them.
import type { Measure } from "./sizes";

const FONTS = { title: "600 13px", text: "12px" } as const;

/** Measures each text once. */
export function pageMeasure(): Measure {
  const context = document.createElement("canvas").getContext("2d");
  const family = getComputedStyle(document.body).fontFamily;
  const widths = new Map<string, number>();
  return (text, font) => {
    if (text === "") return 0;
    const key = `${font} ${text}`;
    const known = widths.get(key);
    if (known !== undefined) return known;
    // Without a canvas a text is cut off at worst.
    let width = text.length * 7.5;
    if (context) {
      context.font = `${FONTS[font]} ${family}`;
      ({ width } = context.measureText(text));
    }
    widths.set(key, width);
    return width;
  };
}
