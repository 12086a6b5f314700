import { describe, expect, it } from "vitest";
import { select, withoutRemoved, type Selection } from "./selection";

const order = ["a", "b", "c", "d", "e"];
const rows = {
  rowOf: (id: string) => order.indexOf(id),
  at: (row: number) => (order[row] === undefined ? undefined : { id: order[row] }),
};
const nothing: Selection = { active: null, several: new Set() };
const shown = ({ active, several }: Selection) => [active, [...several].toSorted()];

describe("a selection of requests", () => {
  it("is one request, unless others are chosen beside it", () => {
    let selection = select(nothing, "b", "only", rows);
    expect(shown(selection)).toEqual(["b", []]);
    selection = select(selection, "d", "toggle", rows);
    expect(shown(selection)).toEqual(["d", ["b", "d"]]);
    selection = select(selection, "d", "toggle", rows);
    expect(shown(selection)).toEqual(["b", []]);
    selection = select(select(selection, "d", "toggle", rows), "e", "only", rows);
    expect(shown(selection)).toEqual(["e", []]);
  });

  it("reaches from the last one to another, in both directions", () => {
    const from = select(nothing, "b", "only", rows);
    expect(shown(select(from, "d", "range", rows))).toEqual(["d", ["b", "c", "d"]]);
    expect(shown(select(from, "a", "range", rows))).toEqual(["a", ["a", "b"]]);
    expect(shown(select(nothing, "c", "range", rows))).toEqual(["c", []]);
  });

  it("loses what is gone", () => {
    const several = select(select(nothing, "a", "only", rows), "c", "range", rows);
    expect(shown(withoutRemoved(several, (id) => id === "c"))).toEqual(["b", ["a", "b"]]);
    expect(shown(withoutRemoved(several, (id) => id !== "b"))).toEqual(["b", []]);
    expect(shown(withoutRemoved(several, () => true))).toEqual([null, []]);
  });
});
