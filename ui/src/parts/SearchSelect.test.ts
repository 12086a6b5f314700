import { describe, expect, it } from "vitest";
import { matchingOptions } from "./SearchSelect";

const options = ["shop.v1.Order", "shop.v1.OrderLine", "mail.v2.Message", "shop.v2.Order"].map((name) => ({
  value: name,
  label: name,
}));
const found = (words: string, selected = "") =>
  matchingOptions(options, words, selected).map(({ value }) => value);

describe("options of a search", () => {
  it("contain every word, in any case and order", () => {
    expect(found("order V1")).toEqual(["shop.v1.Order", "shop.v1.OrderLine"]);
    expect(found("  ")).toHaveLength(4);
    expect(found("order mail")).toEqual([]);
  });

  it("begin with the selected one, if it matches", () => {
    expect(found("", "shop.v2.Order")[0]).toBe("shop.v2.Order");
    expect(found("order", "shop.v2.Order")).toEqual(["shop.v2.Order", "shop.v1.Order", "shop.v1.OrderLine"]);
    expect(found("mail", "shop.v2.Order")).toEqual(["mail.v2.Message"]);
  });
});
