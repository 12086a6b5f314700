// Unsent input of forms, kept while its page is left: for a record that is created elsewhere first, for example.
import { markUnsent } from "../../parts/unsent";
import type { Draft } from "./field";

const drafts = new Map<string, Draft>();

export function keptDraft(form: string): Draft {
  return drafts.get(form) ?? {};
}

/** An empty draft is not kept. */
export function keepDraft(form: string, draft: Draft): void {
  if (Object.keys(draft).length > 0) drafts.set(form, draft);
  else drafts.delete(form);
  markUnsent("forms", drafts.size > 0);
}

/** What was typed with one key does not belong to the next one. */
export function dropDrafts(): void {
  drafts.clear();
  markUnsent("forms", false);
}
