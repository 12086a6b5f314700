import { expect, it } from "vitest";
import { search, type PaletteItem } from "./search";

const item = (title: string, group = "Records", text = "", note = ""): PaletteItem => ({
  path: `/${title}`,
  group,
  title,
  note,
  text,
});
const titles = (items: PaletteItem[], words: string) =>
  search(items, words).flatMap((group) => group.items.map(({ title }) => title));

it("finds all words anywhere, and puts the title first", () => {
  const items = [
    item("Old office", "Records", "office"),
    item("Office"),
    item("Home", "Records", "near the office"),
  ];
  expect(titles(items, "office")).toEqual(["Office", "Old office", "Home"]);
  expect(titles(items, "near office")).toEqual(["Home"]);
  expect(titles(items, "nothing")).toEqual([]);
});

it("keeps groups in their order and shows a few of each", () => {
  const items = [
    item("Pages of shops", "Pages"),
    ...Array.from({ length: 20 }, (_, index) => item(`shop ${index}`)),
  ];
  const found = search(items, "shop");
  expect(found.map(({ label, items: own }) => [label, own.length])).toEqual([
    ["Pages", 1],
    ["Records", 8],
  ]);
});

it("finds networks by their text and by an address in them", () => {
  const items = [item("Office", "Records", "10.1.0.0/16"), item("All", "Records", "0.0.0.0/0 ::/0")];
  expect(titles(items, "10.1.0.0/16")).toEqual(["Office"]);
  expect(titles(items, "10.1.200.3")).toEqual(["Office", "All"]);
  expect(titles(items, "10.2.0.1")).toEqual(["All"]);
  expect(titles(items, "10.2.0.999")).toEqual([]);
});

it("shows everything for no words", () => {
  expect(titles([item("a"), item("b")], " ")).toEqual(["a", "b"]);
});
