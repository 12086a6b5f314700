// Edges and routes in the console: everything is made, changed and removed through the forms, read back over the API,
// and seen by visitors from outside.
import type { Page } from "@playwright/test";
import { choose } from "../kit/choose";
import { testWithEdges, type Edge, type EdgePages } from "../kit/edges";
import { openArea } from "../kit/console";
import { expect, expectAccessible } from "../kit/fixtures";
import { chooseByTyping, namesOfFocus, tabTo } from "../kit/keys";
import type { World } from "../kit/world";

const test = testWithEdges();

test.afterEach(({ edges }) => edges.removeAll());

test.describe("an HTTPS edge", () => {
  test("is made, once its names are whole", async ({ page, edges, pages }) => {
    await openArea(page, "HTTPS edges");
    await expect(page.getByText("There is no HTTPS edge yet.")).toBeVisible();
    await page.getByRole("button", { name: "New HTTPS edge" }).first().click();
    await page.getByRole("textbox", { name: "Public addresses" }).fill("first.localhost");
    await page.getByRole("button", { name: "Create HTTPS edge" }).click();
    await expect(
      page.getByText("“first.localhost” has no port: write it like first.localhost:443."),
    ).toBeVisible();
    await page.getByRole("textbox", { name: "Public addresses" }).fill("first.localhost:443\nsecond.localhost:443");
    await page.getByRole("textbox", { name: "Description" }).fill("The shop");
    await expect(pages.preview()).toContainText("curl -X POST");
    await expect(pages.preview()).toContainText('"second.localhost:443"');
    await page.getByRole("button", { name: "Create HTTPS edge" }).click();
    await expect(page.getByRole("heading", { name: "The shop" })).toBeVisible();
    await expect(page.getByText("every request gets 404")).toBeVisible();
    const [edge] = await edges.all("https");
    expect(edge).toMatchObject({
      hostports: ["first.localhost:443", "second.localhost:443"],
      description: "The shop",
    });
  });

  test("is changed", async ({ page, world, edges, pages }) => {
    const edge = await world.create("/edges/https", {
      hostports: ["first.localhost:443", "second.localhost:443"],
    });
    await pages.go(`/edges/https/${edge}`);
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("textbox", { name: "Public addresses" }).fill("first.localhost:443");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Edge changed")).toBeVisible();
    expect((await edges.all("https"))[0]?.hostports).toEqual(["first.localhost:443"]);
  });

  test("is deleted, after saying what is no longer served then", async ({ page, world, edges, pages }) => {
    const edge = await world.create("/edges/https", {
      hostports: ["first.localhost:443"],
      description: "The shop",
    });
    await pages.go(`/edges/https/${edge}`);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Delete The shop?" });
    await expect(dialog.getByText("first.localhost:443 are no longer served")).toBeVisible();
    await expect(pages.preview(dialog)).toContainText(`curl -X DELETE`);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByText("There is no HTTPS edge yet.")).toBeVisible();
    expect(await edges.all("https")).toEqual([]);
  });

  test("shows what the server refuses at the field", async ({ page, edges, pages }) => {
    await edges.shop("taken.localhost");
    await pages.go("/edges/https/new");
    await page.getByRole("textbox", { name: "Public addresses" }).fill("taken.localhost:443");
    await page.getByRole("button", { name: "Create HTTPS edge" }).click();
    await expect(page.getByRole("alert").getByText("belongs to the edge")).toBeVisible();
  });

  test("asks visitors for a version of TLS", async ({ page, world, edges, pages }) => {
    const { edge } = await edges.shop("safe.localhost");
    await pages.go(`/edges/https/${edge}?tab=handshake`);
    await pages.addStage("TLS termination");
    await page.getByRole("radio", { name: "TLS 1.3" }).check();
    await page.getByRole("button", { name: "Add TLS termination" }).click();
    await expect(page.getByText("TLS 1.3 or newer")).toBeVisible();
    expect(await world.manage("GET", `/edges/https/${edge}`)).toMatchObject({
      tls_termination: { enabled: true, min_version: "1.3" },
    });
  });

  test("asks visitors for certificates, and no longer", async ({ page, world, edges, pages }) => {
    const { edge } = await edges.shop("staff.localhost");
    await pages.go(`/edges/https/${edge}?tab=handshake`);
    await pages.addStage("Mutual TLS");
    await page.getByRole("checkbox", { name: "Staff" }).check();
    await page.getByRole("button", { name: "Add Mutual TLS" }).click();
    await expect(page.getByText("1 authority")).toBeVisible();
    await expectAccessible(page);
    expect(await world.manage("GET", `/edges/https/${edge}`)).toMatchObject({
      mutual_tls: { enabled: true, certificate_authorities: [{ id: edges.authority }] },
    });
    await pages.removeStage("Mutual TLS");
    expect(await world.manage("GET", `/edges/https/${edge}`)).toMatchObject({ mutual_tls: null });
  });
});

test.describe("a route", () => {
  test("is made, once its path begins with a slash, and serves visitors", async ({
    page,
    world,
    edges,
    pages,
  }) => {
    const edge = await world.create("/edges/https", { hostports: ["routes.localhost:443"] });
    await pages.go(`/edges/https/${edge}`);
    await page.getByRole("button", { name: "New route" }).click();
    await page.getByRole("textbox", { name: "Path" }).fill("app");
    await page.getByRole("button", { name: "Create route" }).click();
    await expect(page.getByText("A path begins with /.")).toBeVisible();
    await page.getByRole("textbox", { name: "Path" }).fill("/app");
    await choose(page.getByRole("combobox", { name: "Backend" }), "Greeting");
    await expect(pages.preview()).toContainText(edges.backend);
    await page.getByRole("button", { name: "Create route" }).click();
    await expect(page.getByRole("heading", { name: "/app/…" })).toBeVisible();
    await expect(pages.stage("Backend").getByText("Greeting")).toBeVisible();
    const visited = await world.visit(`https://routes.localhost:${world.httpsPort}/app/x`);
    expect(visited).toMatchObject({ status: 200, body: "hello" });
    await expect(page.getByText("1 request", { exact: true })).toBeVisible();
  });

  test("is changed", async ({ page, world, edges, pages }) => {
    const { place } = await edges.shop("changed.localhost", { match: "/app" });
    await pages.go(place);
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("radio", { name: "Exact path" }).check();
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("heading", { name: "/app", exact: true })).toBeVisible();
    expect(await world.manage("GET", place)).toMatchObject({ match_type: "exact_path", match: "/app" });
  });

  test("is listed with its backend, and deleted after saying that it is in use", async ({
    page,
    world,
    edges,
    pages,
  }) => {
    const { edge } = await edges.shop("used.localhost", { match_type: "exact_path", match: "/app" });
    expect((await world.visit(`https://used.localhost:${world.httpsPort}/app`)).status).toBe(200);
    await pages.go(`/edges/https/${edge}`);
    await expect(page.getByRole("row", { name: "/app" }).getByText("Greeting")).toBeVisible();
    await page.getByRole("link", { name: "/app", exact: true }).click();
    await expect(page.getByText("1 request", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete the route /app?" });
    await expect(dialog.getByText("go to the next matching route, or get 404")).toBeVisible();
    await expect(dialog.getByText("It is in use: 1 request in the last minute.")).toBeVisible();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByText("every request gets 404")).toBeVisible();
    expect((await world.manage<Edge>("GET", `/edges/https/${edge}`)).routes).toEqual([]);
  });
});

test.describe("an IP restriction", () => {
  test("turns a visitor away, and shows it", async ({ page, world, edges, pages }) => {
    const { place } = await edges.shop("guarded.localhost");
    await pages.go(place);
    await pages.addStage("IP restriction");
    await page.getByRole("checkbox", { name: "Office" }).check();
    await expect(
      page.getByText("No rule of these policies allows any address: every visitor is refused."),
    ).toBeVisible();
    await page.getByRole("button", { name: "Add IP restriction" }).click();
    await expect(pages.stage("IP restriction").getByText("Office")).toBeVisible();
    expect((await world.visit(`https://guarded.localhost:${world.httpsPort}/private`)).status).toBe(403);
    await expect(pages.stage("IP restriction").getByText("refused 1, last just now")).toBeVisible();

    await page.getByRole("tab", { name: "Refusals (1)" }).click();
    const row = page.getByRole("row", { name: "GET /private" });
    await expect(row.getByText("127.0.0.1", { exact: true })).toBeVisible();
    await expect(row.getByText(/IP restriction refused: no rule allows the address, \d+ µs/)).toBeVisible();
    await expect(row.getByText("403, ERR_POSTERN_3203")).toBeVisible();
  });

  test("admits visitors while a rule allows them, and names the rule for an address", async ({ page, world, edges, pages }) => {
    const { place } = await edges.shop("open.localhost", {
      ip_restriction: { ip_policy_ids: [edges.policy] },
    });
    const address = `https://open.localhost:${world.httpsPort}/private`;
    const allowed = { ip_policy_id: edges.policy, cidr: "127.0.0.0/8", action: "allow" };
    const rule = await world.create("/ip_policy_rules", allowed);
    expect(await world.visit(address)).toMatchObject({ status: 200, body: "hello" });
    await pages.go(`${place}?stage=ip_restriction`);
    await page.getByRole("textbox", { name: "Try an address" }).fill("127.0.0.1");
    await expect(page.getByRole("status").getByText("by allow 127.0.0.0/8")).toBeVisible();
    await page.getByRole("textbox", { name: "Try an address" }).fill("192.0.2.7");
    await expect(page.getByRole("status").getByText("no rule allows it")).toBeVisible();
    await world.manage("DELETE", `/ip_policy_rules/${rule}`);
    expect((await world.visit(address)).status).toBe(403);
    await expect(page.getByRole("tab", { name: "Refusals (1)" })).toBeVisible();
  });
});

test.describe("a TLS edge", () => {
  const made = (world: World, modules: object = {}) =>
    world.create("/edges/tls", { hostports: ["db.localhost:443"], ...modules });

  test("is made", async ({ page, edges }) => {
    await openArea(page, "TLS edges");
    await page.getByRole("button", { name: "New TLS edge" }).first().click();
    await page.getByRole("textbox", { name: "Public addresses" }).fill("db.localhost:443");
    await page.getByRole("button", { name: "Create TLS edge" }).click();
    await expect(page.getByRole("heading", { name: "db.localhost:443" })).toBeVisible();
    expect(await edges.all("tls")).toMatchObject([{ hostports: ["db.localhost:443"] }]);
  });

  test("says which stage another one needs first", async ({ page, world, pages }) => {
    await pages.go(`/edges/tls/${await made(world)}`);
    await pages.addStage("Mutual TLS");
    await expect(page.getByText("set TLS termination to “at the edge” first")).toBeVisible();
    await page.getByRole("button", { name: "Cancel" }).click();
  });

  test("asks for a version of TLS only where it terminates at the edge", async ({ page, world, pages }) => {
    await pages.go(`/edges/tls/${await made(world)}`);
    await pages.addStage("TLS termination");
    await page.getByRole("radio", { name: "At the backend" }).check();
    await expect(page.getByRole("radio", { name: "TLS 1.3" })).toBeHidden();
    await page.getByRole("radio", { name: "At the edge" }).check();
    await page.getByRole("button", { name: "Add TLS termination" }).click();
    await expect(pages.stage("TLS termination").getByText("At the edge, TLS 1.2 or newer")).toBeVisible();
  });

  test("gets stages, which stand in the order they run in, and a backend", async ({
    page,
    world,
    edges,
    pages,
  }) => {
    const edge = await made(world, { tls_termination: { terminate_at: "edge" } });
    await pages.go(`/edges/tls/${edge}`);
    await pages.addStage("Mutual TLS");
    await page.getByRole("checkbox", { name: "Staff" }).check();
    await page.getByRole("button", { name: "Add Mutual TLS" }).click();
    await expect(pages.stage("Mutual TLS")).toBeVisible();
    await pages.addStage("IP restriction");
    await page.getByRole("checkbox", { name: "Office" }).check();
    await page.getByRole("button", { name: "Add IP restriction" }).click();
    await expect(pages.stage("IP restriction")).toBeVisible();
    const stages = page.getByRole("list", { name: "Modules in execution order" });
    const order = ["IP restriction", "TLS termination", "Mutual TLS"];
    await expect(stages.getByRole("heading")).toHaveText(order);
    await addBackend(world, pages, "tls", edge);
    await expectAccessible(page);
    expect(await world.manage("GET", `/edges/tls/${edge}`)).toMatchObject({
      tls_termination: { terminate_at: "edge", min_version: "1.2" },
      mutual_tls: { certificate_authorities: [{ id: edges.authority }] },
      ip_restriction: { ip_policies: [{ id: edges.policy }] },
    });
  });

  test("loses its stages again", async ({ world, edges, pages }) => {
    const edge = await made(world, {
      tls_termination: { terminate_at: "edge" },
      mutual_tls: { certificate_authority_ids: [edges.authority] },
      ip_restriction: { ip_policy_ids: [edges.policy] },
      backend: { backend_id: await world.create("/backends/tunnel_group", { labels: { kind: "tls" } }) },
    });
    await pages.go(`/edges/tls/${edge}`);
    for (const label of ["Mutual TLS", "TLS termination", "IP restriction", "Backend"])
      await pages.removeStage(label);
    expect(await world.manage("GET", `/edges/tls/${edge}`)).toMatchObject({
      tls_termination: null,
      mutual_tls: null,
      ip_restriction: null,
      backend: null,
    });
  });

  test("is deleted", async ({ page, world, edges, pages }) => {
    await pages.go(`/edges/tls/${await made(world)}`);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page
      .getByRole("dialog", { name: "Delete db.localhost" })
      .getByRole("button", { name: "Delete" })
      .click();
    await expect(page.getByText("There is no TLS edge yet.")).toBeVisible();
    expect(await edges.all("tls")).toEqual([]);
  });
});

test.describe("a TCP edge", () => {
  const firstPort = async (world: World) =>
    (await world.manage<{ first_tcp_port: number }>("GET", "/server")).first_tcp_port;

  test("is made at a port of this server", async ({ page, world, edges }) => {
    const port = await firstPort(world);
    await openArea(page, "TCP edges");
    await page.getByRole("button", { name: "New TCP edge" }).first().click();
    await expect(page.getByText(`localhost and a port from ${port} to`)).toBeVisible();
    await page.getByRole("textbox", { name: "Public addresses" }).fill("localhost:1");
    await page.getByRole("button", { name: "Create TCP edge" }).click();
    await expect(page.getByRole("alert").getByText("Port 1 is not one of this server")).toBeVisible();
    await page.getByRole("textbox", { name: "Public addresses" }).fill(`localhost:${port}`);
    await page.getByRole("textbox", { name: "Description" }).fill("Database");
    await page.getByRole("button", { name: "Create TCP edge" }).click();
    await expect(page.getByRole("heading", { name: "Database" })).toBeVisible();
    const [edge] = await edges.all("tcp");
    expect(edge?.hostports).toEqual([`localhost:${port}`]);
  });

  test("gets stages and loses them again", async ({ page, world, pages }) => {
    const edge = await world.create("/edges/tcp", { hostports: [`localhost:${await firstPort(world)}`] });
    await pages.go(`/edges/tcp/${edge}`);
    await pages.addStage("IP restriction");
    await page.getByRole("checkbox", { name: "Office" }).check();
    await page.getByRole("button", { name: "Add IP restriction" }).click();
    await expect(pages.stage("IP restriction")).toBeVisible();
    await addBackend(world, pages, "tcp", edge);
    await pages.removeStage("IP restriction");
    await pages.removeStage("Backend");
  });

  test("is called by its address once its description is taken away", async ({ page, world, pages }) => {
    const address = `localhost:${await firstPort(world)}`;
    const edge = await world.create("/edges/tcp", { hostports: [address], description: "Database" });
    await pages.go(`/edges/tcp/${edge}`);
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("textbox", { name: "Description" }).fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("heading", { name: address })).toBeVisible();
  });

  test("is deleted, after saying that its connections are closed", async ({ page, world, pages }) => {
    const address = `localhost:${await firstPort(world)}`;
    await pages.go(`/edges/tcp/${await world.create("/edges/tcp", { hostports: [address] })}`);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: `Delete ${address}?` });
    await expect(dialog.getByText("are closed")).toBeVisible();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByText("There is no TCP edge yet.")).toBeVisible();
  });
});

async function addBackend(world: World, pages: EdgePages, kind: string, edge: string): Promise<void> {
  const description = `Group of ${kind}`;
  const group = await world.create("/backends/tunnel_group", { description, labels: { kind } });
  await pages.addStage("Backend");
  const choices = pages.page.getByRole("combobox", { name: "Backend" });
  await choose(choices, new RegExp(description));
  await pages.page.getByRole("button", { name: "Add Backend" }).click();
  await expect(pages.stage("Backend").getByText(description)).toBeVisible();
  expect(await world.manage("GET", `/edges/${kind}/${edge}/backend`)).toMatchObject({
    backend: { id: group },
  });
}

/** What has the focus is called so. */
const focused = (page: Page, name: string) =>
  expect.poll(() => namesOfFocus(page), { message: `the focus at “${name}”` }).toContain(name);

test.describe("with a keyboard alone", () => {
  test("a stage is added", async ({ page, edges, pages }) => {
    await pages.go((await edges.shop("keys.localhost")).place);
    await page.getByRole("button", { name: "Add module" }).focus();
    await page.keyboard.press("Enter");
    await chooseByTyping(page, "Comp", "Compression");
    await focused(page, "Compression");
    await tabTo(page, "Add Compression");
    await page.keyboard.press("Enter");
    await expect(pages.stage("Compression")).toBeVisible();
    await focused(page, "Compression");
  });

  test("a stage is turned off", async ({ page, edges, pages }) => {
    await pages.go((await edges.shop("keys.localhost", { compression: {} })).place);
    await expect(pages.stage("Compression")).toBeVisible();
    await tabTo(page, "Compression enabled");
    await page.keyboard.press("Space");
    await expect(page.getByRole("dialog", { name: "Turn off Compression?" })).toBeVisible();
    await tabTo(page, "Turn off");
    await page.keyboard.press("Enter");
    await expect(pages.stage("Compression, off")).toBeVisible();
    await focused(page, "Compression enabled");
  });

  test("a stage is removed, unless one thinks better of it", async ({ page, world, edges, pages }) => {
    const { place } = await edges.shop("keys.localhost", { compression: {} });
    await pages.go(place);
    await expect(pages.stage("Compression")).toBeVisible();
    await tabTo(page, "Remove Compression");
    await page.keyboard.press("Enter");
    const removal = page.getByRole("dialog", { name: "Remove Compression?" });
    await expect(removal).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(removal).toBeHidden();
    await focused(page, "Remove Compression");
    await page.keyboard.press("Enter");
    await expect(removal).toBeVisible();
    await tabTo(page, "Remove");
    await page.keyboard.press("Enter");
    await expect(removal).toBeHidden();
    await expect(pages.stage("Compression")).toBeHidden();
    expect(await world.manage("GET", place)).toMatchObject({ compression: null });
  });
});
