import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { utf8 } from "./bytes";
import { classify, formFields, multipartParts } from "./body";
import { bytes } from "./sample";
import { hidden, isSecret, maskHead, maskHeaders } from "./secrets";

const typed = (type: string) => [{ name: "Content-Type", value: type }];

describe("what a body is", () => {
  it.each([
    ["application/json", "{}", "json"],
    ["application/problem+json; charset=utf-8", "{}", "json"],
    ["", '  {"a":1}', "json"],
    ["", "hello", "text"],
    ["text/html", "<p>", "text"],
    ["application/xml", "<a/>", "text"],
    ["application/x-www-form-urlencoded", "a=1", "form"],
    ["image/png", "x", "image"],
    ["multipart/form-data; boundary=x", "--x", "multipart"],
    ["application/octet-stream", "\u0000\u0001", "binary"],
    ["application/json", "", "empty"],
  ])("%j %j is %s", (type, text, kind) => {
    expect(classify(typed(type), bytes(text)).kind).toBe(kind);
  });

  it("reads form fields", () => {
    expect(formFields(classify(typed("application/x-www-form-urlencoded"), bytes("a=1&b=x+y")))).toEqual([
      { name: "a", value: "1" },
      { name: "b", value: "x y" },
    ]);
  });

  it("reads the parts of a multipart form", () => {
    const text =
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n--x\r\n' +
      'Content-Disposition: form-data; name="f"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n\r\nPNG\r\n--x--\r\n';
    const parts = multipartParts(classify(typed("multipart/form-data; boundary=x"), bytes(text)));
    expect(parts?.map((part) => [part.name, part.fileName, part.type, utf8(part.bytes)])).toEqual([
      ["a", null, "text/plain", "one"],
      ["f", "a.png", "image/png", "\r\nPNG"],
    ]);
  });

  it("survives any multipart body", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("--x", "\r\n", "\n", "a: b", "-", "y") }), (text) => {
        multipartParts(classify(typed("multipart/form-data; boundary=x"), bytes(text)));
      }),
    );
  });
});

describe("secrets", () => {
  it.each([
    ["Authorization", true],
    ["cookie", true],
    ["X-Api-Key", true],
    ["X-Access-Token", true],
    ["X-Hub-Signature-256", true],
    ["Content-Type", false],
    ["X-Tokenizer", false],
  ])("%s is secret: %s", (name, expected) => expect(isSecret(name)).toBe(expected));

  it("are hidden so that their kind stays readable", () => {
    expect(hidden("Authorization", "Bearer abc")).toBe("Bearer ••••••••");
    expect(hidden("Cookie", "a=1; b=2")).toBe("a=••••••••; b=••••••••");
    expect(hidden("Set-Cookie", "a=1; Path=/; Secure")).toBe("a=••••••••; Path=/; Secure");
    expect(maskHeaders([{ name: "A", value: "b" }])).toEqual([{ name: "A", value: "b" }]);
  });

  it("are hidden in the raw head as well", () => {
    const head = "GET /x:y HTTP/1.1\r\nAuthorization: Basic abc\r\nAccept: */*\r\n\r\n";
    expect(maskHead(head)).toBe("GET /x:y HTTP/1.1\r\nAuthorization: Basic ••••••••\r\nAccept: */*\r\n\r\n");
  });
});
