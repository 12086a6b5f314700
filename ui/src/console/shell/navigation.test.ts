// The navigation is short, and everything can be reached from it.
import { describe, expect, it } from "vitest";
import { AREAS } from "../areas";
import { entriesOf, entryOf } from "./navigation";

describe("the navigation", () => {
  it("has few entries, each with a name of its own", () => {
    const console = entriesOf(AREAS, false);
    expect(console.length).toBeLessThanOrEqual(14);
    expect(entriesOf(AREAS, true).length).toBe(console.length + 2);
    expect(new Set(console.map(({ label }) => label)).size).toBe(console.length);
  });

  it("leads to every area that is not reached from another page", () => {
    const reached = entriesOf(AREAS, true).flatMap(({ areas }) => areas.map(({ path }) => path));
    const all = AREAS.filter(({ hidden }) => !hidden).map(({ path }) => path);
    expect(reached.toSorted()).toEqual(all.toSorted());
  });

  it("keeps the areas of a section together, in one group", () => {
    for (const { areas, group } of entriesOf(AREAS, true))
      for (const area of areas) expect(area.group).toBe(group);
  });

  it.each([
    ["/edges/tls/edgtls_1", "Edges"],
    ["/backends/weighted/new", "Backends"],
    ["/api_keys", "Team"],
    ["/nodes", "Topology"],
    ["/nodesx", undefined],
  ])("knows the entry of %s", (path, label) => {
    expect(entryOf(entriesOf(AREAS, false), path)?.label).toBe(label);
  });
});
