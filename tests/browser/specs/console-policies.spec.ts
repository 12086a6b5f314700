// The console at the server: the way in, and IP policies with their rules from beginning to end.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { expectAccessible, launch, open, picture } from "../kit/browser";
import { enterKey } from "../kit/console";
import { World } from "../kit/world";

let browser: Browser;
let world: World;
let page: Page;
let wrong: string[];

beforeAll(async () => {
  browser = await launch();
  world = await World.startServerOnly();
});
afterAll(async () => {
  await browser.close();
  await world.stop();
});
beforeEach(async () => {
  ({ page, wrong } = await open(browser, `${world.management}/console`));
});
afterEach(async () => {
  await page.context().close();
  expect(wrong, "no violation of the policy, no error in the page").toEqual([]);
});

it("lets in who has a key, and forgets it on request", async () => {
  await page.getByLabel("API key").fill("nonsense");
  await page.getByRole("button", { name: "Open the console" }).click();
  await page.getByText("The key was not accepted").waitFor();
  await expectAccessible(page);
  await picture(page, "console-key");
  await enterKey(page, world.key);
  await page.getByRole("navigation", { name: "Areas" }).waitFor();
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  expect(kept).not.toContain(world.key);
  await page.getByRole("button", { name: "Forget the key" }).click();
  await page.getByLabel("API key").waitFor();
});

it("asks again when the key is deleted meanwhile", async () => {
  const made = await world.manage<{ id: string; token: string }>("POST", "/api_keys", {});
  await enterKey(page, made.token);
  await page.getByRole("link", { name: "IP policies" }).click();
  await page.getByRole("heading", { name: "IP policies" }).waitFor();
  await world.manage("DELETE", `/api_keys/${made.id}`);
  await page.getByRole("button", { name: "New IP policy" }).first().click();
  await page.getByRole("button", { name: "Create IP policy" }).click();
  await page.getByText("The key is no longer valid").waitFor();
});

it("creates, changes and deletes an IP policy with its rules", async () => {
  await enterKey(page, world.key);
  await page.getByRole("link", { name: "IP policies" }).click();
  await page.getByText("There is no IP policy yet.").waitFor();
  await expectAccessible(page);
  await picture(page, "console-empty");
  await page.getByRole("button", { name: "New IP policy" }).first().click();

  await page.getByLabel("Description").fill("ü".repeat(130));
  await page.getByRole("button", { name: "Create IP policy" }).click();
  await page.getByText("260 bytes; at most 255 are allowed.").waitFor();
  await page.getByLabel("Description").fill("Office");
  expect(await page.getByRole("region", { name: "curl command" }).textContent()).toContain(
    '"description": "Office"',
  );
  await page.getByRole("button", { name: "Create IP policy" }).click();
  await page.getByRole("heading", { name: "Office" }).waitFor();

  await page.getByRole("button", { name: "Add rule" }).click();
  const dialog = page.getByRole("dialog", { name: "New rule" });
  await dialog.getByLabel("Network").fill("10.1.2.3/8");
  await dialog.getByRole("button", { name: "Add rule" }).click();
  await dialog.getByText("Did you mean 10.0.0.0/8?").waitFor();
  await dialog.getByLabel("Network").fill("203.0.113.7");
  await dialog.getByText("Stored as 203.0.113.7/32: one address.").waitFor();
  await dialog.getByRole("radio", { name: "Deny" }).check();
  await expectAccessible(page);
  await picture(page, "console-rule");
  await dialog.getByRole("button", { name: "Add rule" }).click();
  await page.getByRole("row", { name: "deny 203.0.113.7/32" }).waitFor();
  await expectAccessible(page);
  await picture(page, "console-policy");

  await page.getByLabel("Description").first().fill("Head office");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("heading", { name: "Head office" }).waitFor();
  await page.getByRole("button", { name: "Delete deny 203.0.113.7/32" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No rules: this policy admits no one.").waitFor();

  await page.getByRole("link", { name: "IP policies" }).first().click();
  await page.getByRole("row").filter({ hasText: "Head office" }).waitFor();
  await picture(page, "console-list");
  const [policy] = (await world.manage<{ ip_policies: { id: string }[] }>("GET", "/ip_policies")).ip_policies;
  const other = await world.manage<{ id: string }>("POST", "/ip_policies", {});
  const guard = (description: string, ip_policy_ids: unknown[]) =>
    world.manage("POST", "/ip_restrictions", { type: "endpoints", description, ip_policy_ids });
  await guard("Alone with it", [policy?.id]);
  await guard("Has another", [policy?.id, other.id]);
  await page.getByRole("link", { name: "Head office" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  const asked = page.getByRole("dialog", { name: "Delete Head office?" });
  await asked.getByText("which admits no one").waitFor();
  const closed = asked.getByRole("list", { name: "Will refuse every visitor" });
  await closed.getByRole("link", { name: "Alone with it" }).waitFor();
  expect(await closed.getByRole("listitem").count()).toBe(1);
  await asked.getByRole("link", { name: "Has another" }).waitFor();
  await picture(page, "console-delete-policy");
  await expectAccessible(page);
  await asked.getByRole("button", { name: "Delete" }).click();
  await asked.waitFor({ state: "detached" });
  await page.getByRole("row").filter({ hasText: other.id }).waitFor();
  const left = await world.manage<{ ip_policies: { id: string }[] }>("GET", "/ip_policies");
  expect(left.ip_policies.map(({ id }) => id)).toEqual([other.id]);
});
