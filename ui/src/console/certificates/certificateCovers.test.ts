import { expect, it } from "vitest";
import { certificateCovers } from "./certificateCovers";

it("knows wildcards of one label", () => {
  expect(certificateCovers("shop.test", "Shop.test")).toBe(true);
  expect(certificateCovers("*.shop.test", "www.shop.test")).toBe(true);
  expect(certificateCovers("*.shop.test", "shop.test")).toBe(false);
  expect(certificateCovers("*.shop.test", "a.b.shop.test")).toBe(false);
  expect(certificateCovers("*.test", "test")).toBe(false);
  expect(certificateCovers("other.test", "shop.test")).toBe(false);
});
