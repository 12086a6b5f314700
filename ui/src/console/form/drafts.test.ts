import { expect, it } from "vitest";
import { dropDrafts, keepDraft, keptDraft } from "./drafts";

it("keeps what was typed into a form, and nothing of other forms", () => {
  keepDraft("POST /edges/https", { description: "Shop" });
  expect(keptDraft("POST /edges/https")).toEqual({ description: "Shop" });
  expect(keptDraft("PATCH /edges/https/1")).toEqual({});
  keepDraft("POST /edges/https", {});
  expect(keptDraft("POST /edges/https")).toEqual({});
});

it("keeps nothing for the next key", () => {
  keepDraft("POST /edges/https", { description: "Shop" });
  dropDrafts();
  expect(keptDraft("POST /edges/https")).toEqual({});
});
