// Walking through a page with the Tab key, as a person without a mouse does.
import { expect, type Page } from "@playwright/test";

const MOST_PRESSES = 120;

/** What the element with the focus is called: by its label, its own words, or the first of what it shows. */
export function namesOfFocus(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement | null;
    const label = element?.labels?.[0];
    const said = [element?.getAttribute("aria-label"), label?.textContent, element?.textContent];
    return said.map((text) => (text ?? "").trim()).filter((text) => text !== "");
  });
}

/** Presses Tab until what is called so has the focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const is = (text: string) => (typeof name === "string" ? text === name : name.test(text));
  const seen = new Set<string>();
  for (let presses = 0; presses < MOST_PRESSES; presses += 1) {
    const names = await namesOfFocus(page);
    if (names.some(is)) return;
    seen.add(names[0] ?? "");
    await page.keyboard.press("Tab");
  }
  throw new Error(`“${String(name)}” is not reached with Tab, but ${[...seen].join(" · ")}`);
}

/** Chooses an action of the menu that is open by typing the beginning of its name. */
export async function chooseByTyping(page: Page, beginning: string, name: string): Promise<void> {
  const menu = page.getByRole("menu");
  await expect(menu.locator(":focus")).toBeAttached();
  // The menu forgets what was typed after a pause, which a busy machine can make between two keys.
  await expect(async () => {
    await page.keyboard.type(beginning);
    await expect(menu.getByRole("menuitem", { name })).toBeFocused({ timeout: 2000 });
  }).toPass();
  await page.keyboard.press("Enter");
}
