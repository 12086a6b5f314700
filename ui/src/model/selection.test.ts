import { describe, expect, it } from "vitest";
import { choose, without, type Selection } from "./selection";

const order = ["a", "b", "c", "d", "e"];
const rows = {
  rowOf: (id: string) => order.indexOf(id),
  at: (row: number) => (order[row] === undefined ? undefined : { id: order[row] }),
};
const nothing: Selection = { active: null, several: new Set() };
const shown = ({ active, several }: Selection) => [active, [...several].toSorted()];

describe("a selection of requests", () => {
  it("is one request, unless others are chosen beside it", () => {
    let selection = choose(nothing, "b", "only", rows);
    expect(shown(selection)).toEqual(["b", []]);
    selection = choose(selection, "d", "toggle", rows);
    expect(shown(selection)).toEqual(["d", ["b", "d"]]);
    selection = choose(selection, "d", "toggle", rows);
    expect(shown(selection)).toEqual(["b", []]);
    selection = choose(choose(selection, "d", "toggle", rows), "e", "only", rows);
    expect(shown(selection)).toEqual(["e", []]);
  });

  it("reaches from the last one to another, in both directions", () => {
    const from = choose(nothing, "b", "only", rows);
    expect(shown(choose(from, "d", "range", rows))).toEqual(["d", ["b", "c", "d"]]);
    expect(shown(choose(from, "a", "range", rows))).toEqual(["a", ["a", "b"]]);
    expect(shown(choose(nothing, "c", "range", rows))).toEqual(["c", []]);
  });

  it("loses what is gone", () => {
    const several = choose(choose(nothing, "a", "only", rows), "c", "range", rows);
    expect(shown(without(several, (id) => id === "c"))).toEqual(["b", ["a", "b"]]);
    expect(shown(without(several, (id) => id !== "b"))).toEqual(["b", []]);
    expect(shown(without(several, () => true))).toEqual([null, []]);
  });
});
