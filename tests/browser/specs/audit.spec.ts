// The audit log: who changed what, the settings before and after, and putting a change back.
import { showApiRequest } from "../kit/console";
import { expect, expectAccessible, picture, testWithWorld } from "../kit/fixtures";

const test = testWithWorld({ agent: null });
test.use({ viewport: { width: 1280, height: 800 } });

test("a change is found, read and put back", async ({ page, world, openConsole }) => {
  const policy = await world.create("/ip_policies", { description: "Office" });
  const body = { ip_policy_id: policy, cidr: "10.0.0.0/8", action: "allow" };
  const rule = await world.create("/ip_policy_rules", body);
  await world.manage("PATCH", `/ip_policy_rules/${rule}`, { cidr: "10.1.0.0/16", description: "Branch" });
  const backend = await world.create("/backends/http_response", { body: "closed", description: "Closed" });
  await world.manage("DELETE", `/backends/http_response/${backend}`);

  await openConsole("/audit_events");
  await expect(page.getByRole("link", { name: "HTTP response backend deleted" })).toBeVisible();
  await expectAccessible(page);
  await picture(page, "audit-log");
  await page.getByRole("combobox", { name: "Change" }).click();
  await page.getByRole("option", { name: "Changed", exact: true }).click();
  await expect(page.getByRole("link", { name: "HTTP response backend deleted" })).toBeHidden();
  await page.getByRole("link", { name: "IP policy rule changed" }).click();

  const settings = page.getByRole("region", { name: "Settings before and after" });
  await expect(settings.getByRole("row", { name: /Range/ })).toContainText("10.0.0.0/8");
  await expect(settings.getByRole("row", { name: /Range/ })).toContainText("10.1.0.0/16");
  await expect(settings.getByRole("row", { name: /Description/ })).toContainText("not set");
  await expect(settings.getByRole("row", { name: /Action/ })).toBeHidden();
  await expectAccessible(page);
  await picture(page, "audit-change");
  await page.getByRole("button", { name: "Put this back…" }).click();
  const dialog = page.getByRole("dialog", { name: "Put this change back?" });
  await showApiRequest(dialog);
  await expect(dialog.getByRole("region", { name: "curl command" })).toContainText('"cidr": "10.0.0.0/8"');
  await expectAccessible(page);
  await picture(page, "audit-put-back");
  await dialog.getByRole("button", { name: "Put back" }).click();
  await expect(page.getByText("Put back", { exact: true })).toBeVisible();
  await expect(dialog).toBeHidden();
  expect(await world.manage("GET", `/ip_policy_rules/${rule}`)).toMatchObject({
    cidr: "10.0.0.0/8",
    description: "",
  });
  await page.getByRole("link", { name: "All changes of this record" }).click();
  await expect(page.getByRole("link", { name: "IP policy rule changed" })).toHaveCount(2);
  await expect(page.getByRole("link", { name: "IP policy rule created" })).toHaveCount(1);

  // A search finds the records, not what happened to them.
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find anything" }).fill("Office");
  await expect(page.getByRole("option", { name: /^Office/ })).toBeVisible();
  await expect(page.getByRole("option", { name: /created: Office/ })).toHaveCount(0);
});

test("what was deleted is created again, and a secret is not", async ({ page, world, openConsole }) => {
  const backend = await world.create("/backends/http_response", { body: "closed", description: "Closed" });
  await world.manage("DELETE", `/backends/http_response/${backend}`);
  const edge = await world.create("/edges/https", {});
  const route = await world.create(`/edges/https/${edge}/routes`, { match_type: "exact_path", match: "/" });
  const place = `/edges/https/${edge}/routes/${route}/webhook_verification`;
  await world.manage("PUT", place, { provider: "github", secret: "planted-one" });
  await world.manage("PUT", place, { provider: "gitlab", secret: "planted-two" });

  await openConsole(`/audit_events?object_id=${backend}`);
  await page.getByRole("link", { name: "HTTP response backend deleted" }).click();
  await expect(page.getByText(/created again with a new ID/)).toBeVisible();
  await page.getByRole("button", { name: "Put this back…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Put back" }).click();
  await expect(page.getByText("Created again", { exact: true })).toBeVisible();
  const { backends } = await world.manage<{ backends: object[] }>("GET", "/backends/http_response");
  expect(backends).toMatchObject([{ description: "Closed", body: "closed" }]);

  await page.evaluate((hash) => (location.hash = hash), `/audit_events?object_id=${route}`);
  await page.getByRole("link", { name: "HTTPS route changed (webhook verification)" }).first().click();
  const settings = page.getByRole("region", { name: "Settings before and after" });
  await expect(settings.getByRole("row", { name: /provider/ })).toContainText("gitlab");
  await expect(page.getByText("A secret was changed, too.", { exact: false })).toBeVisible();
  await expect(page.getByText(/`?webhook_verification.secret`? is a secret/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Put this back…" })).toBeHidden();
  expect(await page.content()).not.toContain("planted");
  await picture(page, "audit-secret");
});
