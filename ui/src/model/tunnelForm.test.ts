import { describe, expect, it } from "vitest";
import { addressError, definitionOf, EMPTY_FORM, formOf, freeName, mistakesOf } from "./tunnelForm";

describe("a tunnel as a form", () => {
  it.each([
    { proto: "http", addr: 8080 },
    {
      proto: "http",
      addr: "https://localhost:8443",
      domain: "shop",
      schemes: ["https", "http"],
      inspect: false,
      host_header: "rewrite",
    },
    { proto: "tcp", addr: 22, remote_addr: "localhost:24010" },
    { labels: ["a=b", "c=d"], addr: "localhost:9000" },
    { proto: "http", addr: 80, basic_auth: ["user:password"], metadata: "kept" },
  ])("goes to fields and back without a loss: %o", (definition) => {
    expect(definitionOf(formOf("x", definition), definition)).toEqual(definition);
  });

  it("writes older spellings of the domain as domain", () => {
    expect(definitionOf(formOf("x", { addr: 80, hostname: "a" }), { addr: 80, hostname: "a" })).toEqual({
      proto: "http",
      addr: 80,
      domain: "a",
    });
  });

  it.each([
    ["8080", null],
    ["localhost:8080", null],
    ["[::1]:8080", null],
    ["https://localhost:8443", null],
    ["http://service", null],
    ["file:///srv/www", null],
    ["", "Enter the port"],
    ["localhost", "Add the port"],
    ["70000", "1 to 65535"],
    ["0", "1 to 65535"],
    ["ftp://x:21", "Only http"],
  ])("judges the address %j: %s", (addr, expected) => {
    const mistake = addressError(addr, "http");
    if (expected === null) expect(mistake).toBeNull();
    else expect(mistake).toContain(expected);
  });

  it("names everything that is wrong at once", () => {
    expect(Object.keys(mistakesOf({ ...EMPTY_FORM, domain: "a b" }, []))).toEqual(["name", "addr", "domain"]);
    expect(mistakesOf({ ...EMPTY_FORM, name: "web", addr: "80" }, ["web"]).name).toContain("Another tunnel");
    expect(
      mistakesOf({ ...EMPTY_FORM, name: "web", addr: "80", kind: "labelled", labels: "a" }, []).labels,
    ).toContain("key=value");
    expect(mistakesOf({ ...EMPTY_FORM, name: "web", addr: "80" }, [])).toEqual({});
  });

  it("finds a free name", () => {
    expect(freeName([])).toBe("web");
    expect(freeName(["web", "web-2"])).toBe("web-3");
  });
});
