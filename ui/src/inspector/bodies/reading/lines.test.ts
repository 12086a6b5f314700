import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Lines } from "./lines";
import { escapeDeceptive } from "./rows";

const texts = (lines: Lines) =>
  lines.rows(0, lines.count).map(({ tokens }) => tokens.map(([, text]) => text).join(""));

const mark = (text: string, wrong: number) =>
  new Lines(text, { wrong }).rows(0, 9).flatMap(({ tokens }) => tokens.filter(([kind]) => kind === "wrong"));
expect(mark("ab\ncd\n", 4)).toEqual([["wrong", "d"]]);

describe("text in lines", () => {
  it("is numbered as editors number it", () => {
    const lines = new Lines("a\r\nb\n\nc\n");
    expect(lines.rows(0, 9).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    expect(texts(lines)).toEqual(["a", "b", "", "c", ""]);
    expect(texts(new Lines(""))).toEqual([""]);
  });

  it("breaks long lines at the width, between whole characters, and loses nothing", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "é", "😀", "\n"), maxLength: 300 }),
        fc.integer({ min: 20, max: 60 }),
        (text, columns) => {
          const lines = new Lines(text, { columns });
          expect(texts(lines).join("")).toBe(text.replaceAll("\n", ""));
          for (const line of texts(lines)) {
            expect(line.length).toBeLessThanOrEqual(columns + 1);
            expect(line.isWellFormed()).toBe(true);
          }
        },
      ),
    );
  });

  it("is laid out anew for another width and finds what was found before", () => {
    const lines = new Lines(`${"x".repeat(100)}needle`, { columns: 50 });
    expect(lines.count).toBe(3);
    expect(lines.find("NEEDLE").count).toBe(1);
    expect(lines.show(0)).toBe(2);
    lines.wrap(200);
    expect(lines.count).toBe(1);
    expect(lines.show(0)).toBe(0);
    expect(lines.rows(0, 1)[0]?.tokens.at(-1)).toEqual(["plain", "needle", true]);
  });

  it("marks a mistake at its place, also at the very end", () => {
    expect(mark("ab", 2)).toEqual([["wrong", "⏎"]]);
  });

  it("looks for signs as they are", () => {
    const lines = new Lines("a.b a+b (x) [y] {z} $1 ^ \\ / - |");
    for (const sign of [".", "+", "(", "[", "{", "$", "^", "\\", "/", "-", "|"])
      expect(lines.find(sign).count, sign).toBeGreaterThan(0);
    expect(lines.find("a-b").count).toBe(0);
  });
});

describe("characters that deceive", () => {
  it.each([
    ["\u202Egnp.exe", "U+202E"],
    ["a\u200Bb", "U+200B"],
    ["\u001B[31mred", "ESC"],
    ["\u0000", "U+0000"],
    ["\uFEFFx", "U+FEFF"],
    ["\u{E0041}", "U+E0041"],
    ["\ud800", "U+D800"],
  ])("are named: %j", (text, name) => {
    expect(escapeDeceptive("plain", text)).toContainEqual(["odd", name]);
  });

  it("are the only ones that are changed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const tokens = escapeDeceptive("plain", text);
        if (tokens.every(([kind]) => kind === "plain"))
          expect(tokens.map(([, piece]) => piece).join("")).toBe(text);
      }),
    );
    expect(escapeDeceptive("plain", "naïve 文字 😀 עברית")).toEqual([["plain", "naïve 文字 😀 עברית"]]);
  });
});
