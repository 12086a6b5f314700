// The console as a person uses it.
import { expect, type Page } from "@playwright/test";

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("navigation", { name: "Areas" })).toBeVisible();
}

export async function signOut(
  page: Page,
  where: "Sign out" | "Sign out everywhere" = "Sign out",
): Promise<void> {
  await page.getByRole("button", { name: /^Signed in as/ }).click();
  await page.getByRole("menuitem", { name: where, exact: true }).click();
  await expect(page.getByLabel("API key")).toBeVisible();
}
