import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatJson, readJson, readJsonLines } from "./json";
import { Outline } from "./outline";

const shown = (text: string) => {
  const outline = new Outline(readJson(text));
  outline.fold(true);
  return outline
    .rows(0, 1000)
    .map(({ tokens, level }) => "  ".repeat(level) + tokens.map(([, piece]) => piece).join(""));
};

describe("a JSON text", () => {
  it("becomes rows with numbers as they were written", () => {
    expect(shown('{"id":12345678901234567890,"list":[1.0,{"a":null}],"none":{}}')).toEqual([
      "{ 3 }",
      '  "id": 12345678901234567890',
      '  "list": [ 2 ]',
      "    0: 1.0",
      "    1: { 1 }",
      '      "a": null',
      '  "none": {}',
    ]);
  });

  it("is read as the browser reads it, and refused where the browser refuses it", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.json().map((text) => text.slice(0, -1)),
        ),
        (text) => {
          let valid = true;
          try {
            JSON.parse(text);
          } catch {
            valid = false;
          }
          expect(readJson(text).mistake === null).toBe(valid);
        },
      ),
    );
  });

  it("laid out is the same value, and a line for each value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { text } = formatJson(readJson(JSON.stringify(value)));
        expect(text).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it.each([
    ["{\n  a: 1\n}", 2, 3],
    ['{"a":1,}', 1, 8],
    ["[1 2]", 1, 4],
    ['["\\x"]', 1, 3],
    ["tru", 1, 1],
    ["", 1, 1],
    ['{"a":1} x', 1, 9],
  ])("that is wrong says where: %j", (text, line, column) => {
    expect(readJson(text).mistake).toMatchObject({ line, column });
  });

  it("that was cut shows what came", () => {
    const text = '{"a":[1,2,{"b":"long te';
    expect(shown(text)).toEqual(["{ 1 }", '  "a": [ 3 ]', "    0: 1", "    1: 2", "    2: {}"]);
    expect(readJson(text).mistake?.message).toBe("The text ends too early");
  });

  it(
    "as deep as a million levels costs no stack, opened, searched, copied and laid out",
    { timeout: 60_000 },
    () => {
      const depth = 1_000_000;
      const text = "[".repeat(depth) + '"needle"' + "]".repeat(depth);
      const tree = readJson(text);
      expect(tree.mistake).toBeNull();
      const outline = new Outline(tree);
      expect(outline.find("needle")).toEqual({ count: 1, more: false });
      const row = outline.show(0);
      expect(row).toBe(depth);
      expect(outline.rows(row, row + 1)[0]).toMatchObject({ level: depth, open: null });
      expect(outline.path(row)?.length).toBe(1 + depth * 3);
      expect(formatJson(tree).more).toBe(true);
      expect(readJson("[".repeat(depth)).mistake?.message).toBe("The text ends too early");
    },
  );

  it("with too many values is read as far as the limit", () => {
    const tree = readJson(`[${"1,".repeat(999)}1]`, 100);
    expect(tree.more).toBe(true);
    expect(tree.nodes.size).toBe(100);
  });

  it("says where a value stands", () => {
    const outline = new Outline(readJson('{"orders":[{"first name":"Zoë","x_1":2}]}'));
    outline.fold(true);
    expect([0, 1, 2, 3, 4].map((row) => outline.path(row))).toEqual([
      "$",
      "$.orders",
      "$.orders[0]",
      '$.orders[0]["first name"]',
      "$.orders[0].x_1",
    ]);
    expect(outline.text(3)).toBe('"Zoë"');
  });
});

describe("lines of JSON", () => {
  it("are many values, each numbered", () => {
    const outline = new Outline(readJsonLines('{"a":1}\n\n[2]\n"x"\n'));
    expect(outline.rows(0, 9).filter(({ level }) => level === 0).length).toBe(3);
  });

  it("show those before a mistake and say which line it is on", () => {
    const tree = readJsonLines('{"a":1}\n{"a":\n');
    expect(tree.mistake).toMatchObject({ line: 3 });
    expect(tree.nodes.size).toBeGreaterThan(1);
  });
});

describe("a tree", () => {
  it("opens and closes, and every row leads back to its node", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.array(fc.nat(40), { maxLength: 20 }), (value, clicks) => {
        const outline = new Outline(readJson(JSON.stringify(value)));
        for (const click of clicks) {
          const row = click % outline.count;
          const [before] = outline.rows(row, row + 1);
          outline.toggle(row);
          const [after] = outline.rows(row, row + 1);
          if (before?.open !== null) expect(after?.open).toBe(!before?.open);
          expect(after?.tokens).toEqual(before?.tokens);
        }
      }),
    );
  });

  it("begins closed where it would be very long", () => {
    const outline = new Outline(
      readJson(JSON.stringify(Array.from({ length: 3000 }, () => ({ a: 1, b: 2 })))),
    );
    expect(outline.count).toBe(3001);
  });
});
