// What the console's forms, menus and tables owe to their user: nothing is lost, cut off or offered in vain.
import { expect } from "../kit/fixtures";
import { testWithEdges } from "../kit/edges";

const test = testWithEdges();

test("keeps input while what it lacks is created elsewhere", async ({ page, edges, pages }) => {
  const { edge } = await edges.shop("drafts.localhost");
  await pages.go(`/edges/https/${edge}/routes/new`);
  await page.getByRole("textbox", { name: "Path" }).fill("/cart");
  await page.getByLabel("Description").fill("The cart");
  await pages.go("/backends/static/new");
  await expect(page.getByRole("heading", { name: "New static backend" })).toBeVisible();
  await page.goBack();
  await expect(page.getByLabel("Description")).toHaveValue("The cart");
  await expect(page.getByRole("textbox", { name: "Path" })).toHaveValue("/cart");
  await page.getByRole("button", { name: "Discard it" }).click();
  await expect(page.getByLabel("Description")).toHaveValue("");
  await page.getByLabel("Description").fill("Another");
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page).toHaveURL(new RegExp(`${edge}$`));
  await pages.go(`/edges/https/${edge}/routes/new`);
  await expect(page.getByLabel("Description")).toHaveValue("");
  await expect(page.getByText("Your unsaved input is still here.")).toHaveCount(0);
});

for (const [width, height] of [
  [1280, 800],
  [1366, 768],
  [1440, 900],
  [1920, 1080],
] as const)
  test(`offers all modules inside a window of ${width} by ${height}`, async ({ page, edges, pages }) => {
    await page.setViewportSize({ width, height });
    await pages.go((await edges.shop(`menu-${width}.localhost`)).place);
    await page.getByRole("button", { name: "Add module" }).click();
    const menu = page.getByRole("menu");
    await expect(menu.getByRole("menuitem").first()).toBeInViewport({ ratio: 1 });
    const box = (await menu.boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.y + box.height).toBeLessThanOrEqual(height);
    await page.keyboard.press("End");
    await expect(menu.getByRole("menuitem").last()).toBeInViewport({ ratio: 0.9 });
  });

test("draws the ring of an opened module without settings around its name alone", async ({ page, edges, pages }) => {
  await pages.go((await edges.shop("focus.localhost")).place);
  await pages.addStage("Compression");
  const name = page.getByRole("heading", { name: "Compression" });
  await expect(name).toBeFocused();
  const ring = await name.evaluate((element) => {
    const { outlineOffset, outlineWidth } = getComputedStyle(element);
    const beyond = parseFloat(outlineOffset) + parseFloat(outlineWidth);
    const below = element.nextElementSibling!.getBoundingClientRect();
    return { bottom: element.getBoundingClientRect().bottom + beyond, below: below.top, width: element.clientWidth };
  });
  expect(ring.bottom).toBeLessThanOrEqual(ring.below);
  expect(ring.width, "no wider than the name").toBeLessThan(300);
});

test("does not offer a deletion that the server would refuse", async ({ page, edges, pages }) => {
  await edges.shop("used.localhost");
  await pages.go(`/backends/http_response/${edges.backend}`);
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete Greeting?" });
  await expect(dialog.getByText("In use: the server will refuse")).toBeVisible();
  await expect(dialog.getByRole("link", { name: /^used\.localhost/ }).first()).toBeVisible();
  const confirm = dialog.getByRole("button", { name: "Delete" });
  await expect(confirm).toHaveAttribute("aria-disabled", "true");
  await confirm.click({ force: true });
  await expect(dialog).toBeVisible();
});

test("shows owners by name, and all columns without scrolling", async ({ page, world, pages }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const owner = await world.create("/bot_users", { name: "Builder" });
  await world.create("/credentials", { description: "Build machine", owner_id: owner, acl: ["bind:*.test"] });
  await pages.go("/credentials");
  const row = page.getByRole("row").filter({ hasText: "Build machine" });
  await expect(row.getByRole("link", { name: "Builder" })).toBeVisible();
  await expect(page.getByRole("columnheader", { name: "Created" })).toBeInViewport({ ratio: 1 });
  const overflow = await page.getByRole("table").evaluate((table) => {
    const frame = table.parentElement!;
    return frame.scrollWidth - frame.clientWidth;
  });
  expect(overflow).toBe(0);
});
