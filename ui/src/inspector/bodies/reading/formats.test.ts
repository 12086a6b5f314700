import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gzipSync } from "node:zlib";
import { mediaType } from "../../../model/httpMessage";
import { Fields } from "./fields";
import { readGrpc } from "./grpc";
import { bodyKindOf } from "./bodyKind";
import { readMultipart } from "./multipart";
import { Outline } from "./outline";
import { imageInfo } from "./imageInfo";
import { Protobuf } from "./protobuf";
import { readXml } from "./xml";

const bytes = (text: string) => new TextEncoder().encode(text);
const rows = (outline: Outline) => {
  outline.fold(true);
  return outline
    .rows(0, 500)
    .map(({ tokens, level }) => "  ".repeat(level) + tokens.map(([, piece]) => piece).join(""));
};

const shown = (...message: number[]) => {
  const format = new Protobuf(Uint8Array.from(message));
  const whole = format.message();
  return { whole, rows: rows(new Outline(format)) };
};

const frame = (flags: number, payload: Uint8Array, length = payload.length) =>
  Uint8Array.from([flags, 0, 0, length >> 8, length & 255, ...payload]);
const options = { coding: "gzip", words: false, limit: 1024 * 1024 };

describe("XML", () => {
  it("becomes elements, attributes and words", () => {
    const text = '<?xml version="1.0"?><!-- hi --><a x="1>2"><b>one</b><c/>words<![CDATA[<raw>]]></a>';
    expect(rows(new Outline(readXml(text)))).toEqual([
      '<?xml version="1.0"?>',
      "<!-- hi -->",
      '<a x="1>2"> 4',
      "  <b>one</b>",
      "  <c/>",
      "  words",
      "  <![CDATA[<raw>]]>",
    ]);
    expect(readXml(text).mistake).toBeNull();
  });

  it.each([
    ["<a>\n <b></a>", 2, 5],
    ["<a>", 1, 4],
    ["<a", 1, 1],
    ["<a></a>x", 1, 8],
    ["<a> 1 < 2 </a>", 1, 7],
  ])("that is wrong says where: %j", (text, line, column) => {
    expect(readXml(text).mistake).toMatchObject({ line, column });
  });

  it("looks up no entity and costs no stack, whatever it holds", () => {
    const laughs = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><l>&b;&b;</l>';
    expect(rows(new Outline(readXml(laughs))).at(-1)).toBe("<l>&b;&b;</l>");
    expect(readXml(laughs).mistake).toBeNull();
    const deep = readXml("<a>".repeat(200_000));
    expect(deep.nodes.size).toBe(200_000);
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("<", ">", "/", "a", "!", "-", "[", "]", "?", '"', "=", " ") }),
        (text) => {
          const outline = new Outline(readXml(text));
          outline.fold(true);
          outline.rows(0, outline.count);
        },
      ),
    );
  });

  it("of HTML leaves void elements and scripts as they are", () => {
    const tree = readXml("<p>a<br>b</p><script>if (a<b) {}</script>", "html");
    expect(rows(new Outline(tree))).toEqual([
      "<p> 3",
      "  a",
      "  <br>",
      "  b",
      "<script>if (a<b) {}</script>",
    ]);
  });
});

describe("protocol buffers without a schema", () => {
  it("show numbers of fields and what the values likely are", () => {
    expect(shown(0x08, 0x96, 0x01, 0x12, 0x07, ...bytes("testing"), 0x1a, 0x03, 0x08, 0x96, 0x01)).toEqual({
      whole: true,
      rows: ["1: 150", '2: "testing"', "3: { 1 }", "  1: 150"],
    });
    expect(shown(0x0d, 0, 0, 0x80, 0x3f).rows).toEqual(["1: 1065353216  fixed32, as float 1"]);
    expect(shown(0x08, 0x03).rows).toEqual(["1: 3  as sint -2"]);
    expect(shown(0x12, 0x02, 0xff, 0x00).rows).toEqual(["2: ff 00  2 bytes"]);
    expect(shown(0x0b, 0x10, 0x01, 0x0c).rows).toEqual(["1: group { 1 }", "  2: 1"]);
  });

  it("never fail and never lose bytes, whatever they are given", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (message) => {
        const format = new Protobuf(message);
        format.message();
        const outline = new Outline(format);
        outline.fold(true);
        outline.rows(0, outline.count);
        const { nodes } = format;
        let end = 0;
        for (let node = 0; node < nodes.size; node = nodes.next(node)) end = nodes.to(node);
        expect(end).toBe(message.length);
      }),
    );
  });

  it("as deep as they can be written are read without end of stack or time", () => {
    let message: number[] = [0x08, 0x01];
    for (let depth = 0; depth < 60; depth += 1) message = [0x0a, message.length, ...message].slice(0, 127);
    expect(shown(...message).rows.length).toBeGreaterThan(20);
  });
});

describe("gRPC", () => {
  it("shows its messages, compressed ones too, and trailers of the web", async () => {
    const message = Uint8Array.from([0x08, 0x05]);
    const body = Uint8Array.from([
      ...frame(0, message),
      ...frame(1, gzipSync(message)),
      ...frame(0x80, bytes("grpc-status: 0\r\n")),
    ]);
    const { format, messages, trailers } = await readGrpc(body, options);
    expect(messages).toBe(2);
    expect(trailers).toBe("grpc-status: 0\r\n");
    expect(rows(new Outline(format)).filter((row) => row.includes("1: 5")).length).toBe(2);
  });

  it("says what is no message and what was cut", async () => {
    const cut = await readGrpc(frame(0, Uint8Array.from([0x08]), 40), options);
    expect(rows(new Outline(cut.format))[0]).toContain("its end was not captured");
    const other = await readGrpc(bytes("hello, world"), options);
    expect(other.messages).toBe(0);
    expect(other.notes.join()).toContain("12 bytes");
  });
});

describe("multipart bodies", () => {
  it("give their parts, whatever is in them", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { minLength: 1, maxLength: 5 }), (contents) => {
        const pieces = contents.flatMap((content, at) => [
          ...bytes(`--B0undary\r\nContent-Disposition: form-data; name="p${at}"\r\n\r\n`),
          ...content,
          13,
          10,
        ]);
        const whole = Uint8Array.from([...pieces, ...bytes("--B0undary--\r\n")]);
        const read = readMultipart(whole, "B0undary");
        expect(read?.complete).toBe(true);
        expect(read?.parts.map(({ name }) => name)).toEqual(contents.map((_, at) => `p${at}`));
        expect(read?.parts.map(({ from, to }) => whole.slice(from, to))).toEqual(contents);
      }),
    );
  });

  it("that were cut give the last part as far as it came, and foreign bytes none", () => {
    const cut = readMultipart(
      bytes(
        "--x\r\nContent-Disposition: form-data; name=\"f\"; filename*=UTF-8''na%C3%AFve.txt\r\n\r\nbegin",
      ),
      "x",
    );
    expect(cut).toMatchObject({ complete: false, parts: [{ name: "f", fileName: "naïve.txt" }] });
    expect(readMultipart(bytes("nothing here"), "x")).toBeNull();
  });

  it("of a million parts are read as far as the limit", () => {
    const read = readMultipart(bytes("--x\r\n\r\n\r\n".repeat(100_000)), "x");
    expect(read).toMatchObject({ more: true });
    expect(read?.parts.length).toBe(1000);
  });
});

describe("the kind of a body", () => {
  it.each([
    ["application/json", "{}", "json"],
    ["application/problem+json; charset=utf-8", "{}", "json"],
    ["application/x-ndjson", "{}\n{}", "jsonLines"],
    ["", '{"a":1}\n{"a":2}', "jsonLines"],
    ["", " [1,2]", "json"],
    ["text/plain", "{no json}", "text"],
    ["text/plain", "[info] a log line", "text"],
    ["application/octet-stream", "<!DOCTYPE html><p>", "html"],
    ["application/soap+xml", "<a/>", "xml"],
    ["image/svg+xml", "<svg/>", "svg"],
    ["image/png", "<script>alert(1)</script>", "text"],
    ["application/grpc-web+proto", "\0\0\0\0\0", "grpc"],
    ["multipart/mixed; boundary=x", "--x", "multipart"],
    ["multipart/mixed", "--x", "text"],
    ["application/x-www-form-urlencoded", "a=1", "form"],
    ["", "\0\u0001\u0002", "binary"],
  ] as const)("of type %j beginning with %j is %s", (type, start, kind) => {
    expect(bodyKindOf(mediaType(type), bytes(start))).toBe(kind);
  });
});

it("fields of a form are names and values, broken escapes as they are", () => {
  const fields = new Fields("a=1&b=x+y%20z&a=%zz&c");
  expect(fields.rows(0, 9).map(({ tokens }) => tokens.map(([, text]) => text).join(""))).toEqual([
    "a\t1",
    "b\tx y z",
    "a\t%zz",
    "c\t",
  ]);
  expect(fields.find("Y Z").count).toBe(1);
});

it("pictures say how large they are before they are unpacked", () => {
  const png = Uint8Array.from([
    0x89,
    ...bytes("PNG\r\n\x1a\n"),
    0,
    0,
    0,
    13,
    ...bytes("IHDR"),
    0,
    0,
    0x75,
    0x30,
    0,
    0,
    0x75,
    0x30,
  ]);
  expect(imageInfo(png)).toEqual({ type: "image/png", width: 30_000, height: 30_000 });
  expect(imageInfo(bytes("<svg onload=alert(1)>"))).toBeNull();
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (some) => void imageInfo(some)));
});
