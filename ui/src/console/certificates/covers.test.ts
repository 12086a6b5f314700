import { expect, it } from "vitest";
import { covers } from "./covers";

it("knows wildcards of one label", () => {
  expect(covers("shop.test", "Shop.test")).toBe(true);
  expect(covers("*.shop.test", "www.shop.test")).toBe(true);
  expect(covers("*.shop.test", "shop.test")).toBe(false);
  expect(covers("*.shop.test", "a.b.shop.test")).toBe(false);
  expect(covers("*.test", "test")).toBe(false);
  expect(covers("other.test", "shop.test")).toBe(false);
});
