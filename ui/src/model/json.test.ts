import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, type JsonNode } from "./json";
import { jsonLines, textLines } from "./lines";

const pretty = (root: JsonNode) =>
  jsonLines(root)
    .map((line) => line.tokens.map(([, text]) => text).join(""))
    .join("\n");

describe("reading JSON", () => {
  it("agrees with the platform on every valid text and prints it the same way", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const result = parseJson(text);
        expect(result.ok).toBe(true);
        if (result.ok) expect(pretty(result.root)).toBe(JSON.stringify(JSON.parse(text), null, 2));
      }),
    );
  });

  it("agrees with the platform on what is not JSON", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom("{", "}", "[", "]", ",", ":", '"', "1", "-", "e", "t", " ", "\\"),
        }),
        (text) => {
          let valid = true;
          try {
            JSON.parse(text);
          } catch {
            valid = false;
          }
          expect(parseJson(text).ok).toBe(valid);
        },
      ),
    );
  });

  it("keeps numbers and repeated names as they were sent", () => {
    const result = parseJson('{"id":12345678901234567890,"a":1.0,"a":2}');
    expect(result.ok && pretty(result.root)).toBe(
      '{\n  "id": 12345678901234567890,\n  "a": 1.0,\n  "a": 2\n}',
    );
  });

  it("says where the mistake is", () => {
    const result = parseJson('{\n  "a": 1,\n  b: 2\n}');
    expect(result).toEqual({
      ok: false,
      mistake: { message: "Expected a member name in double quotes and a colon", line: 3, column: 3 },
    });
  });

  it("refuses a million levels instead of falling over", () => {
    const result = parseJson("[".repeat(1_000_000));
    expect(!result.ok && result.mistake.message).toContain("Nested deeper");
  });
});

describe("display lines", () => {
  it("break very long lines and number only their first piece", () => {
    const lines = textLines(`${"x".repeat(4500)}\nshort`);
    expect(lines.map((line) => line.number)).toEqual([1, null, null, 2]);
  });
});
