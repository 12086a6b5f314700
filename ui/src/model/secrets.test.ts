import { describe, expect, it } from "vitest";
import { mask, isSecret, maskHead, maskHeaders, maskUrl } from "./secrets";

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
    expect(mask("Authorization", "Bearer abc")).toBe("Bearer ••••••••");
    expect(mask("Cookie", "a=1; b=2")).toBe("a=••••••••; b=••••••••");
    expect(mask("Set-Cookie", "a=1; Path=/; Secure")).toBe("a=••••••••; Path=/; Secure");
    expect(maskHeaders([{ name: "A", value: "b" }])).toEqual([{ name: "A", value: "b" }]);
  });

  it("are hidden in addresses, where parameters have their names", () => {
    expect(maskUrl("/a?token=x&b=token&api-key=&access_token=y")).toBe(
      "/a?token=••••••••&b=token&api-key=&access_token=••••••••",
    );
    expect(maskUrl("/token=x")).toBe("/token=x");
    expect(maskHead("GET /a?secret=x HTTP/1.1\r\nA: b\r\n\r\n")).toBe(
      "GET /a?secret=•••••••• HTTP/1.1\r\nA: b\r\n\r\n",
    );
  });

  it("are hidden in the raw head as well", () => {
    const head = "GET /x:y HTTP/1.1\r\nAuthorization: Basic abc\r\nAccept: */*\r\n\r\n";
    expect(maskHead(head)).toBe("GET /x:y HTTP/1.1\r\nAuthorization: Basic ••••••••\r\nAccept: */*\r\n\r\n");
  });
});
