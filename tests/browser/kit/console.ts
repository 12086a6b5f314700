// The console as a person uses it.
import { expect, type Page } from "@playwright/test";

export async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Open the console" }).click();
  await expect(page.getByRole("navigation", { name: "Areas" })).toBeVisible();
}
