import { expect, it } from "vitest";
import { search, type PaletteItem } from "./search";

const thing = (title: string, group = "Records", text = "", note = ""): PaletteItem => ({
  place: `/${title}`,
  group,
  title,
  note,
  text,
});
const titles = (things: PaletteItem[], words: string) =>
  search(things, words).flatMap((group) => group.things.map(({ title }) => title));

it("finds all words anywhere, and puts the title first", () => {
  const things = [
    thing("Old office", "Records", "office"),
    thing("Office"),
    thing("Home", "Records", "near the office"),
  ];
  expect(titles(things, "office")).toEqual(["Office", "Old office", "Home"]);
  expect(titles(things, "near office")).toEqual(["Home"]);
  expect(titles(things, "nothing")).toEqual([]);
});

it("keeps groups in their order and shows a few of each", () => {
  const things = [
    thing("Pages of shops", "Pages"),
    ...Array.from({ length: 20 }, (_, index) => thing(`shop ${index}`)),
  ];
  const found = search(things, "shop");
  expect(found.map(({ label, things: own }) => [label, own.length])).toEqual([
    ["Pages", 1],
    ["Records", 8],
  ]);
});

it("finds networks by their text and by an address in them", () => {
  const things = [thing("Office", "Records", "10.1.0.0/16"), thing("All", "Records", "0.0.0.0/0 ::/0")];
  expect(titles(things, "10.1.0.0/16")).toEqual(["Office"]);
  expect(titles(things, "10.1.200.3")).toEqual(["Office", "All"]);
  expect(titles(things, "10.2.0.1")).toEqual(["All"]);
  expect(titles(things, "10.2.0.999")).toEqual([]);
});

it("shows everything for no words", () => {
  expect(titles([thing("a"), thing("b")], " ")).toEqual(["a", "b"]);
});
