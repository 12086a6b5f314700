// The console as a person uses it.
import type { Page } from "playwright-core";

export async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Open the console" }).click();
  await page.getByRole("navigation", { name: "Areas" }).waitFor();
}
