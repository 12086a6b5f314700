import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "../../bodies/reading/json";
import { readSchema } from "../../bodies/reading/protoSchema";
import { compare, type BodySide } from "./compare";
import { compareHeaders, DEFAULT_IGNORED } from "./headers";
import { jsonDifferences } from "./jsonDiff";
import { editScript } from "./editScript";
import { LineChanges } from "./views";

const side = (text: string | Uint8Array): BodySide => ({
  bytes: typeof text === "string" ? new TextEncoder().encode(text) : text,
  codings: [],
  charset: null,
  cut: false,
  byLines: false,
  message: null,
});
const PROTOBUF = { as: "Protobuf", messageType: null, revision: 0 } as const;
const said = (one: string, other: string) =>
  jsonDifferences(readJson(one), readJson(other)).found.map(({ kind, path }) => `${kind} ${path}`);

const normal = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

const deep = (end: string) => `${"[".repeat(100_000)}${end}${"]".repeat(100_000)}`;

const many = (word: string) => Array.from({ length: 30_000 }, (_, at) => `${word} ${at}`);

const header = (name: string, value: string) => ({ name, value });

describe("steps from one sequence to another", () => {
  it("lead there, and are no more than needed", () => {
    const word = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 14 });
    fc.assert(
      fc.property(word, word, (before, after) => {
        const found =
          editScript(before.length, after.length, (one, other) => before[one] === after[other]) ?? [];
        const kept = found.filter(({ kind }) => kind !== "removed");
        expect(kept.map((step) => (step.kind === "same" ? before[step.before] : after[step.after]))).toEqual(
          after,
        );
        const gone = found.filter(({ kind }) => kind !== "added").map((step) => step.before);
        expect(gone).toEqual(before.map((_, at) => at));
        expect(found.filter(({ kind }) => kind === "same").length).toBe(longest(before, after));
      }),
    );
  });

  it("are given up where there are too many", () => {
    expect(editScript(5000, 5000, () => false, 100)).toBeNull();
  });
});

function longest(one: readonly string[], other: readonly string[]): number {
  let row = other.map(() => 0);
  for (const a of one) {
    const next: number[] = [];
    other.forEach((b, at) =>
      next.push(a === b ? (row[at - 1] ?? 0) + 1 : Math.max(next[at - 1] ?? 0, row[at] ?? 0)),
    );
    row = next;
  }
  return row.at(-1) ?? 0;
}

describe("JSON compared by value", () => {
  it("does not count layout, order of members and ways to write the same", () => {
    expect(said('{"a":1,"b":[1, 2]}', '{ "b": [1,2],\n "a": 1.0 }')).toEqual([]);
    expect(said('{"\\u0061":"\\u00e9"}', '{"a":"é"}')).toEqual([]);
    expect(said("[12345678901234567890]", "[12345678901234567891]")).toEqual(["changed $[0]"]);
  });

  it("says what was added, removed and changed, and where", () => {
    expect(said('{"a":1,"b":{"c":2},"d":3}', '{"a":1,"b":{"c":5},"e":3}')).toEqual([
      "removed $.d",
      "added $.e",
      "changed $.b.c",
    ]);
  });

  it("finds what moved within a list", () => {
    expect(said('[{"id":1},{"id":2},{"id":3}]', '[{"id":0},{"id":1},{"id":2},{"id":3}]')).toEqual([
      "added $[0]",
    ]);
    expect(said('[{"id":1,"x":1},{"id":2}]', '[{"id":1,"x":2},{"id":2}]')).toEqual(["changed $[0].x"]);
  });

  it("finds nothing in equal values and something in others", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(said(JSON.stringify(one), JSON.stringify(one, null, 3))).toEqual([]);
        let equal = true;
        try {
          expect(normal(one)).toEqual(normal(other));
        } catch {
          equal = false;
        }
        expect(said(JSON.stringify(one), JSON.stringify(other)).length === 0).toBe(equal);
      }),
    );
  });

  it("costs no stack at any depth", () => {
    expect(said(deep("1"), deep("2")).length).toBe(1);
  });
});

describe("text compared by lines", () => {
  it("folds what is the same, and opens it again", () => {
    const before = Array.from({ length: 40 }, (_, at) => `line ${at}`);
    const changes = new LineChanges(before, before.with(20, "other"));
    expect(changes.changes).toBe(2);
    const rows = changes.rows(0, changes.count);
    expect(rows.filter(({ sign }) => sign).map(({ sign, number }) => `${sign} ${number}`)).toEqual([
      "removed 21",
      "added 21",
    ]);
    expect(rows[0]?.open).toBe(false);
    changes.toggle(0);
    expect(changes.rows(0, 1)[0]?.tokens).toEqual([["plain", "line 0"]]);
    changes.fold(true);
    expect(changes.count).toBe(41);
  });

  it("gives up where the two are too different, and shows both", () => {
    const changes = new LineChanges(many("a"), many("b"));
    expect(changes.notes.join()).toContain("too different");
    expect(changes.changes).toBe(60_000);
  });
});

describe("bodies compared", () => {
  it("are taken for what they are", async () => {
    expect((await compare(side("a\nb"), side("a\nc"))).kind).toBe("lines");
    expect((await compare(side('{"a":1}'), side('{"a":2}'))).kind).toBe("values");
    expect(
      (await compare({ ...side('{"a":1}'), byLines: true }, { ...side('{"a":2}'), byLines: true })).kind,
    ).toBe("lines");
    expect((await compare(side("same"), side("same"))).kind).toBe("same");
    const bytes = await compare(side(Uint8Array.from([0, 1, 2])), side(Uint8Array.from([0, 1, 3])));
    expect(bytes.kind).toBe("bytes");
    expect(bytes.notes.join()).toContain("from byte 2 on");
  });
});

const order =
  'syntax = "proto3"; message Order { int32 id = 1; string note = 2; repeated int32 scores = 3; }';
const message = (bytes: readonly number[], messageType: string | null = "Order") => ({
  ...side(Uint8Array.from(bytes)),
  message: { ...PROTOBUF, messageType },
});
const shown = ({ reading }: Awaited<ReturnType<typeof compare>>) =>
  reading
    .rows(0, reading.count)
    .map(({ sign = "same", tokens }) => `${sign} ${tokens.map(([, text]) => text).join("")}`);

describe("protocol buffers compared", () => {
  it("say which fields differ, by their names", async () => {
    const { schema } = await readSchema([{ name: "order.proto", text: order }]);
    const [before, after] = [
      [0x08, 42, 0x12, 1, 0x61, 0x1a, 2, 1, 2],
      [0x08, 43, 0x12, 1, 0x61, 0x1a, 2, 1, 3],
    ];
    const found = await compare(message(before), message(after), schema);
    expect([found.kind, found.changes]).toEqual(["lines", 4]);
    expect(shown(found)).toEqual(
      expect.arrayContaining(["removed id: 42", "added id: 43", 'same note: "a"']),
    );
    expect(shown(await compare(message(before, null), message(after, null), schema))).toContain(
      "removed 1: 42",
    );
  });

  it("are equal whatever their encoding", async () => {
    const { schema } = await readSchema([{ name: "order.proto", text: order }]);
    const found = await compare(message([0x08, 42]), message([0x08, 0xaa, 0x00]), schema);
    expect([found.kind, found.changes]).toEqual(["lines", 0]);
    expect(found.notes).toEqual(["Encoded differently, but with equal fields."]);
  });
});

describe("headers compared", () => {
  it("count neither order nor case of names, and repeated ones by value", () => {
    const rows = compareHeaders(
      [header("A", "1"), header("Set-Cookie", "x=1"), header("Set-Cookie", "y=1"), header("Gone", "g")],
      [header("set-cookie", "y=1"), header("set-cookie", "x=2"), header("a", "1"), header("New", "n")],
      [],
    );
    expect(
      rows
        .filter(({ state }) => state !== "same")
        .map(({ name, state, before, after }) => [name, state, before, after]),
    ).toEqual([
      ["Gone", "removed", "g", null],
      ["New", "added", null, "n"],
      ["set-cookie", "changed", "x=1", "x=2"],
    ]);
  });

  it("leave out what always differs, but only where it differs", () => {
    const rows = compareHeaders(
      [header("Date", "1"), header("Age", "1")],
      [header("date", "2"), header("Age", "1")],
      DEFAULT_IGNORED,
    );
    expect(rows.map(({ name, ignored }) => [name, ignored])).toEqual([
      ["Age", false],
      ["date", true],
    ]);
  });
});
