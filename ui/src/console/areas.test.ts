// Every collection of the API can be opened in the console.
import { expect, it } from "vitest";
import { COLLECTIONS } from "../api/generated";
import { AREAS } from "./areas";

it("there is an area for each collection of the API", () => {
  const kinds = AREAS.flatMap(({ kind }) => (kind ? [kind.path as string] : []));
  // Those below a record are opened from its page.
  const collections = Object.keys(COLLECTIONS).filter((path) => !path.includes("{"));
  expect(kinds.toSorted()).toEqual(collections.toSorted());
  expect(collections.length).toBeGreaterThan(20);
});
