import { describe, expect, it } from "vitest";
import { messageChoice } from "./messageChoice";

const DESCRIPTION = {
  messages: ["shop.Get", "shop.Order"],
  methods: {
    "/shop.Orders/Get": { request: "shop.Get", response: "shop.Order" },
    "/shop.Orders/Put": { request: null, response: null },
  },
  problems: [],
};
const NONE = new Map<string, string>();
const typeOf = (...args: Parameters<typeof messageChoice>) => messageChoice(...args).type;

describe("the message type of a body", () => {
  it("of gRPC is that of the method in the path, behind any prefix", () => {
    const path = "/api/shop.Orders/Get";
    expect(typeOf(DESCRIPTION, undefined, { path, side: "request" }, NONE, true)).toBe("shop.Get");
    expect(typeOf(DESCRIPTION, undefined, { path, side: "response" }, NONE, true)).toBe("shop.Order");
    const other = messageChoice(
      DESCRIPTION,
      undefined,
      { path: "/a.B/constructor", side: "request" },
      NONE,
      true,
    );
    expect(other).toEqual({ type: null, reason: expect.stringContaining("has the method a.B/constructor") });
    const missing = messageChoice(
      DESCRIPTION,
      undefined,
      { path: "/shop.Orders/Put", side: "request" },
      NONE,
      true,
    );
    expect(missing.reason).toContain("request type of shop.Orders/Put is declared in no file");
  });

  it("is otherwise what the content type names", () => {
    expect(typeOf(DESCRIPTION, undefined, null, new Map([["messagetype", ".shop.Order"]]), false)).toBe(
      "shop.Order",
    );
    expect(typeOf(DESCRIPTION, undefined, null, new Map([["proto", "shop.Get"]]), false)).toBe("shop.Get");
    const unknown = messageChoice(DESCRIPTION, undefined, null, new Map([["proto", "other.X"]]), false);
    expect(unknown).toEqual({
      type: null,
      reason: expect.stringContaining("names other.X, which no file declares"),
    });
    expect(typeOf(DESCRIPTION, undefined, null, NONE, false)).toBeNull();
  });

  it("is what was chosen, as long as a file declares it", () => {
    const origin = { path: "/shop.Orders/Get", side: "response" } as const;
    expect(typeOf(DESCRIPTION, "shop.Get", origin, NONE, true)).toBe("shop.Get");
    expect(typeOf(DESCRIPTION, "", origin, NONE, true)).toBeNull();
    expect(typeOf(DESCRIPTION, "shop.Removed", origin, NONE, true)).toBe("shop.Order");
  });
});
