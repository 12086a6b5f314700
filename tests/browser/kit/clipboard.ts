// What the page has copied.
import type { Page } from "@playwright/test";

export function copied(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}
