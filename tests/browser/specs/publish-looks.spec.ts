// The page that publishes a service in all colours and sizes: axe finds nothing, and pictures to look at.
import { choose } from "../kit/choose";
import { expect, expectAccessible, picture } from "../kit/fixtures";
import { testWithPublish } from "../kit/publish";

const test = testWithPublish();
test.use({ contextOptions: { reducedMotion: "reduce" } });

for (const [theme, media] of [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["contrast", { colorScheme: "dark", contrast: "more" }],
  ["forced", { colorScheme: "light", forcedColors: "active" }],
] as const)
  test(`can be read in ${theme} colours, in every state`, async ({ page, publish }) => {
    await page.emulateMedia(media);
    await page.setViewportSize({ width: 1440, height: 900 });
    await publish.open(`looks-${theme}`);
    await expect(page.getByRole("radio", { name: /^app=shop/ })).toBeChecked();
    await expectAccessible(page);
    await picture(page, `publish-tunnel-${theme}`);
    await publish.lead("Address");
    await publish.lead("Login");
    await choose(page.getByRole("combobox", { name: "Provider" }), "GitHub");
    await expectAccessible(page);
    await picture(page, `publish-login-${theme}`);
    await publish.lead("Fixed response");
    await publish.lead("Webhook");
    await publish.submit.click();
    await expect(page.getByRole("textbox", { name: "Secret", exact: true })).toBeFocused();
    await page.getByText("API requests").click();
    await expectAccessible(page);
    await picture(page, `publish-mistake-${theme}`);
    await publish.lead("Tunnels by labels");
    await page.getByRole("textbox", { name: "Key 1" }).fill("team");
    await page.getByRole("textbox", { name: "Value 1" }).fill("web");
    await page.getByRole("textbox", { name: "Secret", exact: true }).fill("planted");
    await publish.submit.click();
    await publish.expectPublished(`looks-${theme}.localhost`);
    await expectAccessible(page);
    await picture(page, `publish-done-${theme}`);
  });

for (const [width, height] of [
  [640, 400],
  [1280, 800],
  [1920, 1080],
] as const)
  test(`fits into a window of ${width} by ${height}`, async ({ page, publish }) => {
    await page.setViewportSize({ width, height });
    await publish.open("fits");
    await publish.lead("Password");
    const over = await page.evaluate(() => {
      const main = document.querySelector("main")!;
      return main.scrollWidth - main.clientWidth;
    });
    expect(over).toBeLessThanOrEqual(0);
    await picture(page, `publish-${width}`);
  });
