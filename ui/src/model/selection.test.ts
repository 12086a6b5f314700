import { describe, expect, it } from "vitest";
import { reduceSelection, type Selection, type SelectMode } from "./selection";

const order = ["a", "b", "c", "d", "e"];
const rows = {
  rowOf: (id: string) => order.indexOf(id),
  at: (row: number) => (order[row] === undefined ? undefined : { id: order[row] }),
};
const nothing: Selection = { active: null, several: new Set() };
const select = (selection: Selection, id: string, mode: SelectMode) =>
  reduceSelection(selection, { type: "select", id, mode, rows });
const withoutRemoved = (selection: Selection, isGone: (id: string) => boolean) =>
  reduceSelection(selection, { type: "remove", isGone });
const shown = ({ active, several }: Selection) => [active, [...several].toSorted()];

describe("a selection of requests", () => {
  it("is one request, unless others are chosen beside it", () => {
    let selection = select(nothing, "b", "only");
    expect(shown(selection)).toEqual(["b", []]);
    selection = select(selection, "d", "toggle");
    expect(shown(selection)).toEqual(["d", ["b", "d"]]);
    selection = select(selection, "d", "toggle");
    expect(shown(selection)).toEqual(["b", []]);
    selection = select(select(selection, "d", "toggle"), "e", "only");
    expect(shown(selection)).toEqual(["e", []]);
  });

  it("reaches from the last one to another, in both directions", () => {
    const from = select(nothing, "b", "only");
    expect(shown(select(from, "d", "range"))).toEqual(["d", ["b", "c", "d"]]);
    expect(shown(select(from, "a", "range"))).toEqual(["a", ["a", "b"]]);
    expect(shown(select(nothing, "c", "range"))).toEqual(["c", []]);
  });

  it("is cleared", () => {
    const several = select(select(nothing, "a", "only"), "c", "range");
    expect(shown(reduceSelection(several, { type: "clear" }))).toEqual([null, []]);
  });

  it("loses what is gone", () => {
    const several = select(select(nothing, "a", "only"), "c", "range");
    expect(shown(withoutRemoved(several, (id) => id === "c"))).toEqual(["b", ["a", "b"]]);
    expect(shown(withoutRemoved(several, (id) => id !== "b"))).toEqual(["b", []]);
    expect(shown(withoutRemoved(several, () => true))).toEqual([null, []]);
  });
});
