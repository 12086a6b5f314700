import { describe, expect, it } from "vitest";
import { parseFilter, setTerm, toggleTerm, tunnelName, valueOf, words } from "./filter";
import { sample } from "./sample";

const matches = (text: string, part: Parameters<typeof sample>[1]) =>
  parseFilter(text).matches(sample("a", part));

describe("the filter box", () => {
  it.each([
    ["", {}, true],
    ["orders", { path: "/api/Orders/7" }, true],
    ["orders", { path: "/api/users" }, false],
    ["status:5xx", { status_code: 503 }, true],
    ["status:5xx", { status_code: 404 }, false],
    ["status:404", { status_code: 404 }, true],
    ["status:>=400", { status_code: 404 }, true],
    ["status>=400", { status_code: 204 }, false],
    ["status:pending", { status_code: null }, true],
    ["status:pending", { status_code: null, error: "refused" }, false],
    ["method:post", { method: "POST" }, true],
    ["method:post,put", { method: "PUT" }, true],
    ["tunnel:site", { tunnel_name: "site (http)" }, true],
    ["tunnel:site", { tunnel_name: "site2 (http)" }, false],
    ['tunnel:"my site"', { tunnel_name: "my site (http)" }, true],
    ["dur>500ms", { duration: 600e6 }, true],
    ["dur>1s", { duration: 600e6 }, false],
    ["dur>1s", { duration: null }, false],
    ["size>1kb", { request_size: 800, response_size: 800 }, true],
    ["is:error", { status_code: 404 }, true],
    ["is:replay", { replay_of: "b" }, true],
    ["-method:GET", { method: "GET" }, false],
    ["api -health", { path: "/api/health" }, false],
    ["localhost:4443", {}, true],
    ["404", { status_code: 404, path: "/x" }, true],
  ])("%s on %o is %s", (text, part, expected) => {
    expect(matches(text, part)).toBe(expected);
  });

  it("names what it cannot understand and ignores it", () => {
    const parsed = parseFilter("status:abc dur>soon is:odd");
    expect(parsed.unknown).toEqual(["status:abc", "dur>soon", "is:odd"]);
    expect(parsed.matches(sample("a"))).toBe(true);
  });

  it("adds, removes and replaces terms", () => {
    expect(toggleTerm("orders", "is:error")).toBe("orders is:error");
    expect(toggleTerm("orders is:error", "is:error")).toBe("orders");
    expect(setTerm("tunnel:a orders", "tunnel", "my site")).toBe('orders tunnel:"my site"');
    expect(valueOf('orders tunnel:"my site"', "tunnel")).toBe("my site");
    expect(setTerm('orders tunnel:"my site"', "tunnel", null)).toBe("orders");
  });

  it("keeps quoted words together, also an open quote", () => {
    expect(words('a "b c" d:"e f" "g')).toEqual(["a", "b c", "d:e f", "g"]);
  });

  it("takes the protocol off a captured tunnel's name", () => {
    expect(tunnelName("site (http)")).toBe("site");
    expect(tunnelName("site (http) (http)")).toBe("site (http)");
  });
});
