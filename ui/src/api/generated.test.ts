// The types of the management API are the ones its description makes.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { TYPES, types } from "../../scripts/generate.mjs";

test("the committed types are up to date", async () => {
  const [committed, made] = await Promise.all([readFile(TYPES, "utf8"), types()]);
  expect(committed === made, "run `make gen` and commit ui/src/api/generated.ts").toBe(true);
  // Generating takes seconds on a busy machine.
}, 60_000);
