import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { utf8 } from "./bytes";
import { decodeBody, unchunk } from "./decode";
import { bytes } from "./sample";

const chunked = [{ name: "Transfer-Encoding", value: "chunked" }];
const encoded = (value: string) => [{ name: "Content-Encoding", value }];

describe("chunked framing", () => {
  it("joins chunks, skips extensions and reads trailers", () => {
    const { body, trailers, complete } = unchunk(
      bytes("4;a=b\r\nWiki\r\n5\r\npedia\r\n0\r\nX-Sum: 9\r\n\r\n"),
    );
    expect(utf8(body)).toBe("Wikipedia");
    expect(trailers).toEqual([{ name: "X-Sum", value: "9" }]);
    expect(complete).toBe(true);
  });

  it("gives what there is of a body that was cut", () => {
    const { body, complete } = unchunk(bytes("a\r\n01234"));
    expect(utf8(body)).toBe("01234");
    expect(complete).toBe(false);
  });

  it("gives back any bytes in any cuts", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 12 }), (parts) => {
        const framed = Buffer.concat([
          ...parts.flatMap((part) => [
            Buffer.from(`${part.length.toString(16)}\r\n`),
            Buffer.from(part),
            Buffer.from("\r\n"),
          ]),
          Buffer.from("0\r\n\r\n"),
        ]);
        const { body, complete } = unchunk(new Uint8Array(framed));
        expect(complete).toBe(true);
        expect(Buffer.from(body).equals(Buffer.concat(parts))).toBe(true);
      }),
    );
  });

  it("never fails on anything else", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => void unchunk(raw)));
  });
});

describe("decoding a body", () => {
  it.each([
    ["gzip", gzipSync("hello")],
    ["deflate", deflateSync("hello")],
    ["deflate", deflateRawSync("hello")],
    ["x-gzip", gzipSync("hello")],
  ])("undoes %s", async (name, packed) => {
    expect(utf8((await decodeBody(encoded(name), new Uint8Array(packed))).bytes)).toBe("hello");
  });

  it("undoes chunks and compression together", async () => {
    const packed = gzipSync("hello");
    const framed = Buffer.concat([
      Buffer.from(`${packed.length.toString(16)}\r\n`),
      packed,
      Buffer.from("\r\n0\r\n\r\n"),
    ]);
    const { bytes: body, notes } = await decodeBody([...chunked, ...encoded("gzip")], new Uint8Array(framed));
    expect(utf8(body)).toBe("hello");
    expect(notes).toEqual(["Decoded from gzip."]);
  });

  it("stops at the limit, however much a small body holds", async () => {
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(20_000_000)));
    const { bytes: body, notes } = await decodeBody(encoded("gzip"), bomb, 1024 * 1024);
    expect(body.length).toBe(1024 * 1024);
    expect(notes.join(" ")).toContain("Only the first 1 MB");
  });

  it("shows the start of a compressed body that was cut", async () => {
    const packed = gzipSync(Buffer.from("abc ".repeat(100_000)));
    const { bytes: body, notes } = await decodeBody(
      encoded("gzip"),
      new Uint8Array(packed.subarray(0, packed.length / 2)),
    );
    expect(body.length).toBeGreaterThan(0);
    expect(notes.join(" ")).toContain("ends early or is damaged");
  });

  it("leaves what is not compressed at all, or in an unknown way, as it is", async () => {
    expect(utf8((await decodeBody(encoded("gzip"), bytes("plain"))).bytes)).toBe("plain");
    const { bytes: body, notes } = await decodeBody(encoded("sdch"), bytes("plain"));
    expect(utf8(body)).toBe("plain");
    expect(notes[0]).toContain("cannot be undone here");
  });
});
