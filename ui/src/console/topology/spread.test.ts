import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spread } from "./spread";

describe("things in a row", () => {
  it("stay where they are wished if there is room", () => {
    expect(
      spread(
        [
          { at: 0, size: 10 },
          { at: 100, size: 10 },
        ],
        5,
      ),
    ).toEqual([0, 100]);
  });

  it("share what is missing", () => {
    expect(
      spread(
        [
          { at: 50, size: 10 },
          { at: 50, size: 10 },
        ],
        10,
      ),
    ).toEqual([40, 60]);
  });

  it("never overlap, and keep their order", () => {
    const wish = fc.record({
      at: fc.integer({ min: -1000, max: 1000 }),
      size: fc.integer({ min: 1, max: 200 }),
    });
    fc.assert(
      fc.property(fc.array(wish), fc.integer({ min: 0, max: 50 }), (wishes, gap) => {
        const middles = spread(wishes, gap);
        for (const [index, at] of middles.entries()) {
          const [before, here] = [wishes[index - 1], wishes[index]];
          if (!before || !here) continue;
          const distance = at - (middles[index - 1] ?? 0);
          expect(distance).toBeGreaterThanOrEqual((before.size + here.size) / 2 + gap - 1e-6);
        }
      }),
    );
  });
});
