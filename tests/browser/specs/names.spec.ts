// No page of the console shows an id where a record has a name: ids are tooltips, and are shown to be copied.
import type { Page } from "@playwright/test";
import { expect, testWithWorld } from "../kit/fixtures";
import { fill } from "../kit/filled";
import type { World } from "../kit/world";

const ID = /\b[a-z]{2,8}_[0-9A-Za-z]{20,}/g;

/** Records that refer to others, with and without names of their own. */
async function fillWithReferences(world: World): Promise<void> {
  await fill(world);
  const user = await world.create("/users", { name: "Grace" });
  const credential = await world.create("/credentials", { owner_id: user });
  const policy = await world.create("/ip_policies", {});
  await world.create("/ip_policy_rules", { ip_policy_id: policy, cidr: "192.0.2.0/24", action: "deny" });
  await world.create("/ip_restrictions", { type: "agent", ip_policy_ids: [policy] });
  const [group, fixed] = [
    await world.create("/backends/tunnel_group", { labels: { app: "names" } }),
    await world.create("/backends/http_response", { status_code: 204 }),
  ];
  const weighted = await world.create("/backends/weighted", { backends: { [group]: 1, [fixed]: 1 } });
  await world.create("/backends/failover", { backends: [weighted, fixed] });
  const edge = await world.create("/edges/https", { hostports: ["names.localhost:443"] });
  const route = await world.create(`/edges/https/${edge}/routes`, { match_type: "path_prefix", match: "/" });
  await world.manage("PUT", `/edges/https/${edge}/routes/${route}/backend`, { backend_id: weighted });
  await world.manage("PUT", `/edges/https/${edge}/routes/${route}/ip_restriction`, {
    ip_policy_ids: [policy],
  });
  await world.create("/edges/tcp", { backend: { backend_id: group } });
  await world.create("/alert_rules", { measure: "agent_away", threshold: 5, subject_id: credential });
  await world.create("/alert_rules", { measure: "requests", threshold: 5, subject_id: route });
  await world.create("/ssh_certificate_authorities", {});
  await world.manage("PATCH", `/credentials/${credential}`, { acl: ["bind:*.names.localhost"] });
  await world.manage("DELETE", `/credentials/${credential}`);
}

const test = testWithWorld().extend<{}, { filled: true }>({
  filled: [
    async ({ world }, use) => fillWithReferences(world).then(() => use(true)),
    { scope: "worker", timeout: 60_000 },
  ],
});

async function goTo(page: Page, place: string): Promise<void> {
  await page.evaluate((hash) => (location.hash = hash), place);
  await page.waitForFunction((hash) => location.hash.startsWith(`#${hash}`), place);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByText(/^Loading/)).toHaveCount(0);
}

/** The ids in the text of the page that is seen, but for those that are shown to be copied. */
async function idsSeen(page: Page): Promise<string[]> {
  const text = await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const parts: string[] = [];
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (parent && !parent.closest("[data-copyable], script, style") && parent.checkVisibility())
        parts.push(walker.currentNode.textContent ?? "");
    }
    return parts.join("\n");
  });
  return text.match(ID) ?? [];
}

test("no page of the console shows an id instead of a name", async ({
  page,
  world,
  filled: _,
  openConsole,
}) => {
  test.setTimeout(300_000);
  await openConsole();
  const { paths } = await world.manage<{ paths: Record<string, Record<string, unknown>> }>(
    "GET",
    "/openapi.json",
  );
  const lists = Object.keys(paths).filter(
    (path) => `${path}/{id}` in paths && paths[path]?.["get"] !== undefined,
  );
  expect(lists.length).toBeGreaterThan(20);
  const places = ["/overview", "/topology"];
  for (const path of lists) {
    const list = await world.manage<Record<string, unknown>>("GET", path);
    const records = Object.values(list).find(Array.isArray) as { id: string }[];
    places.push(path, ...records.slice(0, 4).map(({ id }) => `${path}/${id}`));
  }
  const edges = await world.manage<{ https_edges: { id: string; routes: { id: string }[] }[] }>(
    "GET",
    "/edges/https",
  );
  for (const { id, routes } of edges.https_edges)
    for (const route of routes) places.push(`/edges/https/${id}/routes/${route.id}`);
  for (const place of places) {
    await goTo(page, place);
    await expect.poll(() => idsSeen(page), { message: place, timeout: 10_000 }).toEqual([]);
  }
});

test("the id of a record that another one refers to is its tooltip, and on its page to be copied", async ({
  page,
  world,
  filled: _,
  openConsole,
}) => {
  await openConsole("/credentials");
  const { users } = await world.manage<{ users: { id: string; name: string }[] }>("GET", "/users");
  const admin = users.find(({ name }) => name !== "Grace" && name !== "Ada");
  const owner = page
    .getByRole("row")
    .getByRole("link", { name: admin?.name ?? "" })
    .first();
  await expect(owner).toHaveAttribute("title", admin?.id ?? "");
  await owner.click();
  await expect(page.getByRole("button", { name: "Copy the ID" })).toBeVisible();
  await expect(page.getByText(admin?.id ?? "", { exact: true })).toBeVisible();
});
