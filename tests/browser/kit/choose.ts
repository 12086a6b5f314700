// A choice in a list that opens below its value.
import type { Locator } from "@playwright/test";

/** The list waits for its options, which may be read from the server. */
export async function choose(list: Locator, option: string | RegExp): Promise<void> {
  await list.click();
  await list
    .page()
    .getByRole("option", { name: option, ...(typeof option === "string" ? { exact: true } : {}) })
    .first()
    .click();
}
