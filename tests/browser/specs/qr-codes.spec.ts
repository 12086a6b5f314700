// The QR code of a public address: on the card of its tunnel, with the address in words.
import { expect, expectAccessible, picture, testWithFakeAgent as test } from "../kit/fixtures";

test.use({ contextOptions: { reducedMotion: "reduce" } });

const URL = "https://amber-fox-1234.example.com";

test.beforeEach(async ({ agent, page }) => {
  agent.tunnel({ name: "shop", state: "running", public_url: URL });
  agent.tunnel({ name: "wild", state: "running", public_url: "https://*.example.com" });
  await page.goto("/index.html");
});

for (const colorScheme of ["light", "dark"] as const)
  test(`a public address has a QR code (${colorScheme})`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    const card = page.getByRole("article", { name: "Tunnel shop" });
    await card.getByRole("button", { name: `Show the QR code of ${URL}` }).click();
    const dialog = page.getByRole("dialog", { name: "QR code" });
    await expect(dialog.getByRole("img", { name: `QR code of ${URL}` })).toBeVisible();
    await expect(dialog.getByText(URL, { exact: true })).toBeVisible();
    await expectAccessible(page);
    await picture(page, `qr-code-${colorScheme}`);
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(card.getByRole("button", { name: `Show the QR code of ${URL}` })).toBeFocused();
    const wild = page.getByRole("article", { name: "Tunnel wild" });
    await expect(wild).toBeVisible();
    await expect(wild.getByRole("button", { name: /QR code/ })).toHaveCount(0);
  });
