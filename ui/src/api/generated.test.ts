// The types of both APIs and of the desktop's commands are the ones their descriptions make.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import {
  DESKTOP_TYPES,
  LOCAL_TYPES,
  TYPES,
  desktopTypes,
  localTypes,
  types,
} from "../../scripts/generate.mjs";

test("the committed types are up to date", async () => {
  const [committed, made] = await Promise.all([readFile(TYPES, "utf8"), types()]);
  expect(committed === made, "run `make gen` and commit ui/src/api/generated.ts").toBe(true);
  // Generating takes seconds on a busy machine.
}, 60_000);

test("the committed types of the local API are up to date", async () => {
  const [committed, made] = await Promise.all([readFile(LOCAL_TYPES, "utf8"), localTypes()]);
  expect(committed === made, "run `make gen` and commit ui/src/api/local.generated.ts").toBe(true);
}, 60_000);

test("the committed types of the desktop's commands are up to date", async () => {
  const [committed, made] = await Promise.all([readFile(DESKTOP_TYPES, "utf8"), desktopTypes()]);
  expect(committed === made, "run `make gen` and commit ui/src/api/desktop.generated.ts").toBe(true);
}, 60_000);
