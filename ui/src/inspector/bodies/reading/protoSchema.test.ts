// Bodies by the declarations of `.proto` files. What is decoded here was encoded by another implementation.
import fc from "fast-check";
import protobufjs from "protobufjs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readGrpc } from "./grpc";
import type { ProtoSource } from "../../../model/protoFiles";
import { openReading } from "./open";
import { Outline } from "./outline";
import { Protobuf } from "./protobuf";
import { readSchema } from "./protoSchema";

const ORDER = `syntax = "proto3";
package shop.v1;

import "money.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/any.proto";

// An order of the shop.
message Order {
  enum Status {
    OPEN = 0;
    SHIPPED = 2;
    LOST = -1;
  }
  message Line {
    string sku = 1;
    Money price = 2;
  }
  int32 id = 1;
  string customer = 2;
  repeated Line lines = 3;
  Status status = 4;
  map<string, int64> stock = 5;
  map<int32, Line> gifts = 6;
  oneof payment {
    string card = 7;
    bool cash = 8;
  }
  repeated sint32 moves = 9;
  bytes signature = 10;
  google.protobuf.Timestamp created = 11;
  optional double weight = 12;
  google.protobuf.Any extra = 13;
  Order parent = 14;
}

message Get { int32 id = 1; }

service Orders {
  rpc Get(Get) returns (Order);
  rpc Watch(stream Get) returns (stream .shop.v1.Order);
}
`;
const MONEY = `syntax = "proto3";
package shop.v1;
message Money { sfixed64 units = 1; fixed32 nanos = 2; float rate = 3; sint64 change = 4; uint64 most = 5; int64 least = 6; }
`;

const FILES: ProtoSource[] = [
  { name: "order.proto", text: ORDER },
  { name: "money.proto", text: MONEY },
];

const root = protobufjs.parse(ORDER, { keepCase: true }).root;
protobufjs.parse(MONEY, root, { keepCase: true });
for (const name of ["timestamp", "any"])
  root.addJSON(protobufjs.common.get(`google/protobuf/${name}.proto`)?.nested ?? {});

function encoded(type: string, message: object): Uint8Array {
  const messageType = root.lookupType(type);
  return messageType.encode(messageType.fromObject(message)).finish();
}

const lines = (format: Protobuf) => {
  const outline = new Outline(format);
  outline.fold(true);
  return outline
    .rows(0, 500)
    .map(({ tokens, level }) => "  ".repeat(level) + tokens.map(([, piece]) => piece).join(""));
};

async function read(type: string, bytes: Uint8Array, files = FILES) {
  const { schema } = await readSchema(files);
  const format = new Protobuf(bytes, schema);
  const whole = format.message(schema.messages.get(type) ?? null);
  return { whole, format, lines: lines(format), misfit: format.misfit };
}

const frame = (payload: Uint8Array) => Uint8Array.from([0, 0, 0, 0, payload.length, ...payload]);

const refuse = () => {
  throw new Error("refused");
};

async function problems(...texts: string[]): Promise<string[]> {
  const files = texts.map((text, at) => ({ name: `${"abc"[at]}.proto`, text }));
  const { description } = await readSchema(files);
  return description.problems.map(({ file, line, text }) => `${file}:${line} ${text}`);
}

describe("a message of a declared type", () => {
  it("has the names and types of its fields", async () => {
    const bytes = encoded("shop.v1.Order", {
      id: -7,
      customer: "Zoë",
      lines: [
        {
          sku: "TEA",
          price: {
            units: "-5",
            nanos: 4_000_000_000,
            rate: 0.5,
            change: "-3",
            most: "18446744073709551615",
            least: "-1",
          },
        },
        { sku: "CUP" },
      ],
      status: 2,
      stock: { TEA: 250 },
      gifts: { 3: { sku: "BOX" } },
      cash: true,
      moves: [-1, 2, -300],
      signature: Uint8Array.from([1, 255]),
      created: { seconds: 1_767_225_600, nanos: 5_000_000 },
      weight: 0,
      extra: { type_url: "type.googleapis.com/shop.v1.Get", value: encoded("shop.v1.Get", { id: 9 }) },
    });
    expect((await read("shop.v1.Order", bytes)).lines.toSorted()).toEqual(
      [
        "id: -7",
        'customer: "Zoë"',
        "lines[0]: { 2 }  Line",
        '  sku: "TEA"',
        "  price: { 6 }  Money",
        "    units: -5",
        "    nanos: 4000000000",
        "    rate: 0.5",
        "    change: -3",
        "    most: 18446744073709551615",
        "    least: -1",
        "lines[1]: { 1 }  Line",
        '  sku: "CUP"',
        "status: SHIPPED  2",
        'stock["TEA"]: 250',
        "gifts[3]: { 1 }  Line",
        '  sku: "BOX"',
        "cash: true  oneof payment",
        "moves: [ 3 ]",
        "  0: -1",
        "  1: 2",
        "  2: -300",
        "signature: 01 ff  2 bytes",
        "created: { 2 }  2026-01-01T00:00:00.005Z",
        "  seconds: 1767225600",
        "  nanos: 5000000",
        "weight: 0",
        "extra: { 2 }  Any",
        '  type_url: "type.googleapis.com/shop.v1.Get"',
        "  value: { 1 }  Get",
        "    id: 9",
      ].toSorted(),
    );
  });

  it("shows fields that are not declared by their number, and unknown values of an enum", async () => {
    const { lines: shown, misfit } = await read(
      "shop.v1.Order",
      Uint8Array.from([...encoded("shop.v1.Order", { id: 1, status: 5 }), 0xf8, 0x07, 4]),
    );
    expect(misfit).toBeNull();
    expect(shown).toEqual(["id: 1", "status: 5  not in Status", "127: 4"]);
  });

  it("keeps what was read of one that was cut off", async () => {
    const bytes = encoded("shop.v1.Order", { id: 1, customer: "Almeida" });
    const { whole, lines: shown, misfit } = await read("shop.v1.Order", bytes.subarray(0, bytes.length - 2));
    expect(whole).toBe(false);
    expect(misfit).toBeNull();
    expect(shown[0]).toBe("id: 1");
    expect(shown[1]).toContain("Not a message from here on");
  });

  it("is shown without its type where it does not fit", async () => {
    const bytes = encoded("shop.v1.Order.Line", { sku: "TEA" });
    const { lines: shown, misfit } = await read("shop.v1.Order", bytes);
    expect(shown).toEqual(['1: "TEA"']);
    expect(misfit).toBe("“id” is not of type int32 there");
    const others = await read("shop.v1.Get", Uint8Array.from([0x10, 1]));
    expect(others.lines).toEqual(["2: 1"]);
    expect(others.misfit).toBe("it declares none of their fields");
    // `stock["A"]: 4`, then a message that ends within a field.
    const broken = await read("shop.v1.Order", Uint8Array.from([0x2a, 5, 10, 1, 65, 16, 4, 0x5a, 1, 8]));
    expect(broken.lines).toEqual(["5: { 2 }", '  1: "A"', "  2: 4", "11: 08  1 bytes"]);
    expect(broken.misfit).toBe("“created” is not of type message there");
    const { schema } = await readSchema(FILES);
    const { notes } = await openReading(
      bytes,
      { as: "Protobuf", messageType: "shop.v1.Order", revision: 0 },
      schema,
    );
    expect(notes[0]).toContain("do not fit shop.v1.Order");
  });

  it("of proto2 may have groups and extensions", async () => {
    const text = `package old;
      message M { optional group Part = 1 { optional int32 a = 2; } extensions 100 to max; }
      extend M { optional string note = 100; }`;
    const bytes = Uint8Array.from([0x0b, 0x10, 5, 0x0c, 0xa2, 0x06, 2, 104, 105]);
    const { lines: shown } = await read("old.M", bytes, [{ name: "old.proto", text }]);
    expect(shown).toEqual(["part: group { 1 }  Part", "  a: 5", '[old.note]: "hi"']);
  });

  it("shows the bytes of an Any that is not what it says", async () => {
    const extra = { type_url: "x/shop.v1.Get", value: Uint8Array.from([10, 1, 65]) };
    const { lines: shown } = await read("shop.v1.Order", encoded("shop.v1.Order", { extra }));
    expect(shown.at(-1)).toBe("  value: 0a 01 41  3 bytes");
  });

  it("gives the path and the value of a row", async () => {
    const { format } = await read(
      "shop.v1.Order",
      encoded("shop.v1.Order", { lines: [{ sku: "TEA" }], stock: { "a.b": -4 } }),
    );
    expect([format.path(1), format.text(1)]).toEqual(["lines[0].sku", "TEA"]);
    expect([format.path(2), format.text(2)]).toEqual(['stock["a.b"]', "-4"]);
  });

  it("is never lost and never fails, whatever its bytes are", async () => {
    const { schema } = await readSchema(FILES);
    const message = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .record({
          id: fc.integer(),
          customer: fc.string(),
          status: fc.integer(),
          moves: fc.array(fc.integer()),
        })
        .map((value) => encoded("shop.v1.Order", value)),
    );
    fc.assert(
      fc.property(
        message,
        fc.nat(),
        fc.nat(255),
        fc.constantFrom(...schema.messages.keys()),
        (start, at, byte, name) => {
          const bytes = start.slice();
          if (bytes.length > 0) bytes[at % bytes.length] = byte;
          const format = new Protobuf(bytes, schema);
          format.message(schema.messages.get(name) ?? null);
          const { nodes } = format;
          for (let node = 0; node < nodes.size; node += 1) {
            format.tokens(node);
            format.path(node);
            format.text(node);
          }
          let end = 0;
          for (let node = 0; node < nodes.size; node = nodes.next(node)) end = nodes.to(node);
          expect(end).toBe(bytes.length);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("gives back every number that another implementation encoded", async () => {
    const { schema } = await readSchema(FILES);
    const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
    fc.assert(
      fc.property(long, long, long, fc.nat(2 ** 32 - 1), (units, change, least, nanos) => {
        const format = new Protobuf(encoded("shop.v1.Money", { units, change, least, nanos }), schema);
        format.message(schema.messages.get("shop.v1.Money") ?? null);
        const values = Object.fromEntries(lines(format).map((row) => row.split(": ")));
        const shown = { units: "0", change: "0", least: "0", nanos: "0", ...values };
        expect(shown).toEqual({ units, change, least, nanos: String(nanos) });
      }),
    );
  });

  it("has bounds: depth, number of values, and time", async () => {
    const { schema } = await readSchema(FILES);
    const type = schema.messages.get("shop.v1.Order") ?? null;
    let deep: Uint8Array = Uint8Array.from([8, 1]);
    for (let level = 0; level < 1_000; level += 1) {
      const { length } = deep;
      const size = length < 128 ? [length] : [(length & 127) | 128, length >> 7];
      deep = Uint8Array.from([0x72, ...size, ...deep]);
    }
    const nested = new Protobuf(deep, schema);
    nested.message(type);
    expect(Math.max(...lines(nested).map((row) => row.search(/\S/) / 2))).toBe(32);
    const many = new Protobuf(Uint8Array.from([0x4a, 0x80, 0x80, 0x40, ...new Uint8Array(2 ** 20)]), schema);
    many.message(type);
    expect(many.more).toBe(true);
    expect(many.nodes.size).toBeLessThan(201_000);
  });
});

describe("gRPC messages", () => {
  const options = { coding: "identity", words: false, limit: 1024 * 1024 };

  it("have the types of their method", async () => {
    const { schema, description } = await readSchema(FILES);
    expect(description.methods).toEqual({
      "/shop.v1.Orders/Get": { request: "shop.v1.Get", response: "shop.v1.Order" },
      "/shop.v1.Orders/Watch": { request: "shop.v1.Get", response: "shop.v1.Order" },
    });
    const bytes = Uint8Array.from([
      ...frame(encoded("shop.v1.Get", { id: 7 })),
      ...frame(Uint8Array.from([10, 1, 65])),
    ]);
    const type = schema.messages.get("shop.v1.Get") ?? null;
    const { format } = await readGrpc(bytes, { ...options, schema, type });
    expect(lines(format)).toEqual([
      "Message 1  2 bytes",
      "  id: 7",
      "Message 2  3 bytes  does not fit shop.v1.Get",
      '  1: "A"',
    ]);
  });
});

describe("files", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("are read without generated code, which the policy of the pages forbids", async () => {
    vi.stubGlobal("Function", refuse);
    vi.stubGlobal("eval", refuse);
    const { description } = await readSchema(FILES);
    expect(description).toMatchObject({
      problems: [],
      messages: ["shop.v1.Get", "shop.v1.Money", "shop.v1.Order", "shop.v1.Order.Line"],
    });
  });

  it("with an error are named with the line, and the others are used", async () => {
    const { schema, description } = await readSchema([
      { name: "broken.proto", text: 'syntax = "proto3";\nmessage A {\n  int32 = 1;\n}' },
      ...FILES,
    ]);
    expect(description.problems).toEqual([
      expect.objectContaining({
        file: "broken.proto",
        line: 3,
        text: expect.stringContaining("Correct the file"),
      }),
    ]);
    expect(schema.messages.has("shop.v1.Order")).toBe(true);
    expect(await problems("message A {\n  optional int32 a = 1;")).toEqual([
      expect.stringMatching(/^a\.proto:2 .*ends too early/),
    ]);
    expect(await problems("message A {\n optional int32 a = 1;\n optional int32 b = 1;\n}")).toEqual([
      expect.stringMatching(/^a\.proto:\d .*duplicate id 1/),
    ]);
    expect(await problems('import "a')).toHaveLength(1);
  });

  it("that import a missing one say so, and what is guessed until then", async () => {
    const text =
      'syntax = "proto3";\nimport "common/money.proto";\nmessage A { common.Money price = 1; int32 id = 2; }';
    expect(await problems(text)).toEqual([
      "a.proto:2 it imports “common/money.proto”, which is not here. Add that file; until then values of common.Money are guessed.",
    ]);
    const { lines: shown } = await read("A", Uint8Array.from([10, 2, 8, 4, 16, 3]), [
      { name: "a.proto", text },
    ]);
    expect(shown).toEqual(["price: { 1 }", "  1: 4", "id: 3"]);
    // What only options use is not missed.
    expect(
      await problems(
        'syntax = "proto3";\nimport "validate/validate.proto";\nmessage A { int32 id = 1 [(validate.rules).int32.gt = 0]; }',
      ),
    ).toEqual([]);
    expect(await problems('syntax = "proto3";\nmessage A {\n  Nothing x = 1;\n}')).toEqual([
      "a.proto:3 Nothing is declared in no file. Add the file that declares it, or correct the name; until then its values are guessed.",
    ]);
  });

  it("find what they import by its name without folders, and Google's files without adding them", async () => {
    const text = `syntax = "proto3";
      import "x/y/b.proto"; import "google/api/annotations.proto"; import "google/protobuf/descriptor.proto"; import "google/protobuf/struct.proto";
      message A { B b = 1; google.protobuf.FileDescriptorProto file = 2; google.protobuf.Struct s = 3; }
      service S { rpc Get(A) returns (A) { option (google.api.http) = { get: "/a" }; } }`;
    expect(await problems(text, 'syntax = "proto3"; message B { int32 a = 1; }')).toEqual([]);
  });

  it("that declare the same name are told apart", async () => {
    const text = 'syntax = "proto3"; message A { int32 a = 1; }';
    expect(await problems(text, text)).toEqual([expect.stringContaining("A is declared in a.proto too")]);
  });

  it("never fail, whatever is in them", async () => {
    const pieces = [
      "message A {",
      "}",
      "int32 a = 1;",
      "enum E { X = 0; }",
      "oneof o {",
      "map<",
      "string",
      ">",
      "import",
      '"a"',
      "service S {",
      "rpc M(A) returns (A);",
      "extend A {",
      "__proto__",
      "constructor",
      "= 7;",
      "[",
      "]",
      "//",
      "/*",
      "\u202e",
      "option (x) = {",
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 30 }),
        async (words) => {
          const { schema } = await readSchema([{ name: "a.proto", text: words.join(" ") }]);
          for (const type of schema.messages.values())
            new Protobuf(Uint8Array.from([8, 1, 18, 1, 65]), schema).message(type);
        },
      ),
    );
    // As large as files may be, and with as much wrong in them as possible.
    const declarations = Array.from(
      { length: 15_000 },
      (_, at) => `message A${at} { optional B${at} b = 1; }`,
    );
    const wrong = declarations.join("\n");
    expect(await problems(wrong, wrong)).toHaveLength(100);
    const deep = "message A {".repeat(20_000);
    expect(await problems(deep)).toHaveLength(1);
  });
});
