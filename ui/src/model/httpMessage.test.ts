import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBase64, toBase64, utf8 } from "./bytes";
import { bytes } from "./sample";
import { headerValue, mediaType, pairs, parseMessage } from "./httpMessage";

describe("a message from the wire", () => {
  it("keeps order, spelling and repetition of headers", () => {
    const { startLine, headers, body } = parseMessage(
      bytes("GET /a HTTP/1.1\r\nHost: x\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\n\r\nbody"),
    );
    expect(startLine).toBe("GET /a HTTP/1.1");
    expect(headers.map(({ name }) => name)).toEqual(["Host", "Set-Cookie", "set-cookie"]);
    expect(headerValue(headers, "SET-COOKIE")).toBe("a=1, b=2");
    expect(utf8(body)).toBe("body");
  });

  it("takes bare line feeds and a head without an end", () => {
    expect(parseMessage(bytes("GET / HTTP/1.1\nA: b\n\nx")).headers).toEqual([{ name: "A", value: "b" }]);
    expect(parseMessage(bytes("GET / HTTP/1.1\r\nA: b")).body.length).toBe(0);
  });

  it("never fails, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (raw) => {
        const { head, body } = parseMessage(raw);
        expect(head.length + body.length).toBe(raw.length);
      }),
    );
  });

  it("reads media types with quoted parameters", () => {
    const type = mediaType('Multipart/Form-Data; boundary="a;b"; charset=UTF-8');
    expect(type.type).toBe("multipart/form-data");
    expect(type.parameters.get("boundary")).toBe("a;b");
    expect(type.parameters.get("charset")).toBe("UTF-8");
  });

  it("decodes pairs and leaves broken escapes alone", () => {
    expect(pairs("a=1+2&b=%C3%A4&c=%zz&d")).toEqual([
      { name: "a", value: "1 2" },
      { name: "b", value: "ä" },
      { name: "c", value: "%zz" },
      { name: "d", value: "" },
    ]);
  });

  it("brings bytes through base64 unchanged", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (raw) => {
        expect(Buffer.from(fromBase64(toBase64(raw))).equals(Buffer.from(raw))).toBe(true);
      }),
    );
  });

  it("leaves a character out that was cut in the middle", () => {
    const euro = bytes("a€");
    expect(utf8(euro.subarray(0, 3))).toBe("a");
    expect(utf8(euro)).toBe("a€");
    expect(utf8(new Uint8Array([0x61, 0xff, 0x61]))).toBeNull();
  });
});
