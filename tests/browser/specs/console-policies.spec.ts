// IP policies with their rules from beginning to end.
import { showApiRequest } from "../kit/console";
import { expect, expectAccessible, picture, testWithWorld } from "../kit/fixtures";

const test = testWithWorld({ agent: null });

test.describe("an IP policy", () => {
  test.afterEach(async ({ world }) => {
    for (const kind of ["ip_restrictions", "ip_policies"]) {
      const left = await world.manage<Record<string, { id: string }[]>>("GET", `/${kind}`);
      for (const { id } of left[kind] ?? []) await world.manage("DELETE", `/${kind}/${id}`);
    }
  });

  test("is offered while there is none", async ({ page, openConsole }) => {
    await openConsole("/ip_policies");
    await expect(page.getByText("There is no IP policy yet.")).toBeVisible();
    await expectAccessible(page);
    await picture(page, "console-empty");
    await page.getByRole("button", { name: "New IP policy" }).first().click();
    await expect(page.getByRole("heading", { name: "New IP policy" })).toBeVisible();
  });

  test("is created, once its description is short enough", async ({ page, world, openConsole }) => {
    await openConsole("/ip_policies/new");
    await page.getByLabel("Description").fill("ü".repeat(130));
    await page.getByRole("button", { name: "Create IP policy" }).click();
    await expect(page.getByText("260 bytes; at most 255 are allowed.")).toBeVisible();
    await page.getByLabel("Description").fill("Office");
    await showApiRequest(page);
    await expect(page.getByRole("region", { name: "curl command" })).toContainText('"description": "Office"');
    // The choice is remembered.
    await page.reload();
    await expect(page.getByRole("region", { name: "curl command" })).toBeVisible();
    await page.getByLabel("Description").fill("Office");
    await page.getByRole("button", { name: "Hide", exact: true }).click();
    await expect(page.getByRole("region", { name: "curl command" })).toHaveCount(0);
    await page.getByRole("button", { name: "Create IP policy" }).click();
    await expect(page.getByRole("heading", { name: "Office" })).toBeVisible();
    const { ip_policies: made } = await world.manage<{ ip_policies: object[] }>("GET", "/ip_policies");
    expect(made).toMatchObject([{ description: "Office" }]);
  });

  test("gets a rule, whose network is corrected before it is stored", async ({
    page,
    world,
    openConsole,
  }) => {
    await openConsole(`/ip_policies/${await world.create("/ip_policies", { description: "Office" })}`);
    await page.getByRole("button", { name: "Add rule" }).click();
    const dialog = page.getByRole("dialog", { name: "New rule" });
    await dialog.getByLabel("Network").fill("10.1.2.3/8");
    await dialog.getByRole("button", { name: "Add rule" }).click();
    await expect(dialog.getByText("Did you mean 10.0.0.0/8?")).toBeVisible();
    await dialog.getByLabel("Network").fill("203.0.113.7");
    await expect(dialog.getByText("Stored as 203.0.113.7/32: one address.")).toBeVisible();
    await dialog.getByRole("radio", { name: "Deny" }).check();
    await expectAccessible(page);
    await picture(page, "console-rule");
    await dialog.getByRole("button", { name: "Add rule" }).click();
    await expect(page.getByRole("row", { name: "deny 203.0.113.7/32" })).toBeVisible();
    await expectAccessible(page);
    await picture(page, "console-policy");
  });

  test("is changed, and loses its last rule", async ({ page, world, openConsole }) => {
    const id = await world.create("/ip_policies", { description: "Office" });
    await world.create("/ip_policy_rules", { ip_policy_id: id, cidr: "203.0.113.7/32", action: "deny" });
    await openConsole(`/ip_policies/${id}`);
    await page.getByLabel("Description").first().fill("Head office");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("heading", { name: "Head office" })).toBeVisible();
    await page.getByRole("button", { name: "Delete deny 203.0.113.7/32" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expect(page.getByText("No rules: this policy admits no one.")).toBeVisible();
  });

  test("is deleted, after saying what would refuse every visitor then", async ({
    page,
    world,
    openConsole,
  }) => {
    const policy = await world.create("/ip_policies", { description: "Head office" });
    const other = await world.create("/ip_policies", { description: "Branch office" });
    const guard = (description: string, ip_policy_ids: string[]) =>
      world.create("/ip_restrictions", { type: "endpoints", description, ip_policy_ids });
    await world.create("/ip_policy_rules", { ip_policy_id: policy, cidr: "192.0.2.0/24", action: "allow" });
    const edge = await world.create("/edges/https", { hostports: ["shop.localhost:443"] });
    await world.create(`/edges/https/${edge}/routes`, {
      match_type: "path_prefix",
      match: "/",
      ip_restriction: { ip_policy_ids: [policy, other] },
    });
    await guard("Alone with it", [policy]);
    await guard("Has another", [policy, other]);
    await openConsole("/ip_policies");
    await expect(page.getByRole("row").filter({ hasText: "Head office" })).toBeVisible();
    await picture(page, "console-list");
    await page.getByRole("link", { name: "Head office" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const asked = page.getByRole("dialog", { name: "Delete Head office?" });
    await expect(asked.getByText("which admits no one")).toBeVisible();
    const closed = asked.getByRole("list", { name: "Will refuse every visitor" });
    await expect(closed.getByRole("link", { name: "Alone with it" })).toBeVisible();
    await expect(closed.getByRole("listitem")).toHaveCount(1);
    await expect(asked.getByRole("link", { name: "Has another" })).toBeVisible();
    await expect(asked.getByRole("link", { name: "allow 192.0.2.0/24" })).toBeVisible();
    await expect(asked.getByRole("link", { name: /^shop\.localhost:443 \// })).toBeVisible();
    await expect(asked.getByText("(module IP restriction)")).toBeVisible();
    expect(await asked.innerText(), "records have names").not.toMatch(/\b(ipr|ip|edghtsrt|edghts)_\w+/);
    await picture(page, "console-delete-policy");
    await expectAccessible(page);
    await asked.getByRole("button", { name: "Delete" }).click();
    await expect(asked).toHaveCount(0);
    await expect(page.getByRole("row").filter({ hasText: "Branch office" })).toBeVisible();
    const left = await world.manage<{ ip_policies: { id: string }[] }>("GET", "/ip_policies");
    expect(left.ip_policies.map(({ id }) => id)).toEqual([other]);
  });
});
