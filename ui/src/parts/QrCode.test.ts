import fc from "fast-check";
import { expect, it } from "vitest";
import { pathOf } from "./QrCode";

it("draws every dark module once and no light one", () => {
  const rows = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), { maxLength: 8 });
  fc.assert(
    fc.property(rows, (modules) => {
      const drawn = modules.map((row) => row.map(() => 0));
      for (const [, x, y, width] of pathOf(modules).matchAll(/M(\d+) (\d+)h(\d+)v1H\1Z/g))
        for (let at = Number(x); at < Number(x) + Number(width); at += 1) {
          const row = drawn[Number(y)];
          if (row) row[at] = (row[at] ?? 0) + 1;
        }
      expect(drawn).toEqual(modules.map((row) => row.map(Number)));
    }),
  );
});
