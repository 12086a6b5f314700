// Edges and routes in the console: everything is made, changed and removed through the forms, read back over the API,
// and seen by visitors from outside.
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectAccessible } from "../kit/browser";
import { EdgePages, type Edge } from "../kit/edges";
import { namesOfFocus, tabTo } from "../kit/keys";
import { type World, eventually } from "../kit/world";

let pages: EdgePages;
let world: World;
let page: Page;

beforeAll(async () => {
  pages = await EdgePages.open();
  ({ world, page } = pages);
});
afterAll(() => pages.close());
beforeEach(() => {
  pages.wrong.length = 0;
});
afterEach(() => {
  expect(pages.wrong, "no violation of the policy, no error in the page").toEqual([]);
});

describe("an HTTPS edge", () => {
  it("is made, changed and deleted", async () => {
    await page.getByRole("link", { name: "HTTPS edges" }).click();
    await page.getByText("There is no HTTPS edge yet.").waitFor();
    await page.getByRole("button", { name: "New HTTPS edge" }).first().click();
    await page.getByRole("textbox", { name: "Names" }).fill("first.localhost");
    await page.getByRole("button", { name: "Create HTTPS edge" }).click();
    await page.getByText("“first.localhost” has no port: write it like first.localhost:443.").waitFor();
    await page.getByRole("textbox", { name: "Names" }).fill("first.localhost:443\nsecond.localhost:443");
    await page.getByRole("textbox", { name: "Description" }).fill("The shop");
    const said = await pages.preview();
    expect(said).toContain("curl -X POST");
    expect(said).toContain('"second.localhost:443"');
    await page.getByRole("button", { name: "Create HTTPS edge" }).click();
    await page.getByRole("heading", { name: "The shop" }).waitFor();
    await page.getByText("every request gets 404").waitFor();
    const [edge] = await pages.edges("https");
    expect(edge).toMatchObject({
      hostports: ["first.localhost:443", "second.localhost:443"],
      description: "The shop",
    });

    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("textbox", { name: "Names" }).fill("first.localhost:443");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Edge changed").waitFor();
    expect((await pages.edges("https"))[0]?.hostports).toEqual(["first.localhost:443"]);

    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Delete The shop?" });
    await dialog.getByText("first.localhost:443 are no longer served").waitFor();
    expect(await pages.preview(dialog)).toContain(`curl -X DELETE`);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("There is no HTTPS edge yet.").waitFor();
    expect(await pages.edges("https")).toEqual([]);
  });

  it("shows what the server refuses at the field", async () => {
    const { edge } = await pages.shop("taken.localhost");
    await pages.go("/edges/https/new");
    await page.getByRole("textbox", { name: "Names" }).fill("taken.localhost:443");
    await page.getByRole("button", { name: "Create HTTPS edge" }).click();
    await page.getByRole("alert").getByText("belongs to the edge").waitFor();
    await world.manage("DELETE", `/edges/https/${edge}`);
  });

  it("asks visitors for certificates and a version of TLS", async () => {
    const { edge } = await pages.shop("safe.localhost");
    await pages.go(`/edges/https/${edge}?tab=handshake`);
    await pages.addStage("TLS termination");
    await page.getByRole("radio", { name: "TLS 1.3" }).check();
    await page.getByRole("button", { name: "Add TLS termination" }).click();
    await page.getByText("TLS 1.3 or newer").waitFor();
    await pages.addStage("Mutual TLS");
    await page.getByRole("checkbox", { name: "Staff" }).check();
    await page.getByRole("button", { name: "Add Mutual TLS" }).click();
    await page.getByText("1 authority").waitFor();
    await expectAccessible(page);
    expect(await world.manage("GET", `/edges/https/${edge}`)).toMatchObject({
      tls_termination: { enabled: true, min_version: "1.3" },
      mutual_tls: { enabled: true, certificate_authorities: [{ id: pages.authority }] },
    });
    await pages.removeStage("Mutual TLS");
    expect(await world.manage("GET", `/edges/https/${edge}`)).toMatchObject({ mutual_tls: null });
    await world.manage("DELETE", `/edges/https/${edge}`);
  });
});

describe("a route", () => {
  it("is made, serves visitors, is changed and deleted", async () => {
    const edge = await world.manage<Edge>("POST", "/edges/https", { hostports: ["routes.localhost:443"] });
    await pages.go(`/edges/https/${edge.id}`);
    await page.getByRole("button", { name: "New route" }).click();
    await page.getByRole("textbox", { name: "Path" }).fill("app");
    await page.getByRole("button", { name: "Create route" }).click();
    await page.getByText("A path begins with /.").waitFor();
    await page.getByRole("textbox", { name: "Path" }).fill("/app");
    await page.getByRole("combobox", { name: "Backend" }).selectOption({ label: "Greeting" });
    expect(await pages.preview()).toContain(pages.backend);
    await page.getByRole("button", { name: "Create route" }).click();
    await page.getByRole("heading", { name: "/app/…" }).waitFor();
    await pages.stage("Backend").getByText("Greeting").waitFor();
    const visited = await world.visit(`https://routes.localhost:${world.httpsPort}/app/x`);
    expect(visited).toMatchObject({ status: 200, body: "hello" });
    await page.getByText("1 request", { exact: true }).waitFor();

    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("radio", { name: "Exact path" }).check();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("heading", { name: "/app", exact: true }).waitFor();
    const [route] = (await world.manage<Edge>("GET", `/edges/https/${edge.id}`)).routes;
    expect(route).toMatchObject({ match_type: "exact_path", match: "/app" });

    await page.getByRole("link", { name: "routes.localhost:443" }).click();
    await page.getByRole("row", { name: "/app" }).getByText("Greeting").waitFor();
    await page.getByRole("link", { name: "/app", exact: true }).click();
    await page.getByRole("button", { name: "Delete route" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete the route /app?" });
    await dialog.getByText("go to the next matching route, or get 404").waitFor();
    await dialog.getByText("It is in use: 1 request in the last minute.").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("every request gets 404").waitFor();
    expect((await world.manage<Edge>("GET", `/edges/https/${edge.id}`)).routes).toEqual([]);
    await world.manage("DELETE", `/edges/https/${edge.id}`);
  });
});

describe("an IP restriction", () => {
  it("turns a visitor away, shows it, and lets them in once a rule allows it", async () => {
    const { edge, place } = await pages.shop("guarded.localhost");
    const address = `https://guarded.localhost:${world.httpsPort}/private`;
    await pages.go(place);
    await pages.addStage("IP restriction");
    await page.getByRole("checkbox", { name: "Office" }).check();
    await page.getByText("No rule of these policies allows any address: every visitor is refused.").waitFor();
    await page.getByRole("button", { name: "Add IP restriction" }).click();
    await pages.stage("IP restriction").getByText("Office").waitFor();
    expect((await world.visit(address)).status).toBe(403);
    await pages
      .stage("IP restriction")
      .getByText(/^refused 1, last \d+ s ago$/)
      .waitFor();

    await page.getByRole("tab", { name: "Refusals (1)" }).click();
    const row = page.getByRole("row", { name: "GET /private" });
    await row.getByText("127.0.0.1", { exact: true }).waitFor();
    await row.getByText(/IP restriction refused: no rule allows the address, \d+ µs/).waitFor();
    await row.getByText("403, ERR_POSTERN_3203").waitFor();

    const rule = await world.manage<{ id: string }>("POST", "/ip_policy_rules", {
      ip_policy_id: pages.policy,
      cidr: "127.0.0.0/8",
      action: "allow",
    });
    expect(await world.visit(address)).toMatchObject({ status: 200, body: "hello" });
    await pages.go(`${place}?stage=ip_restriction`);
    await page.getByRole("textbox", { name: "Try an address" }).fill("127.0.0.1");
    await page.getByRole("status").getByText("by allow 127.0.0.0/8").waitFor();
    await page.getByRole("textbox", { name: "Try an address" }).fill("192.0.2.7");
    await page.getByRole("status").getByText("no rule allows it").waitFor();
    await world.manage("DELETE", `/ip_policy_rules/${rule.id}`);
    expect((await world.visit(address)).status).toBe(403);
    await page.getByRole("tab", { name: "Refusals (2)" }).waitFor();
    await world.manage("DELETE", `/edges/https/${edge}`);
  });
});

describe("edges of connections", () => {
  it("a TLS edge is made, gets stages, and is deleted", async () => {
    await page.getByRole("link", { name: "TLS edges" }).click();
    await page.getByRole("button", { name: "New TLS edge" }).first().click();
    await page.getByRole("textbox", { name: "Names" }).fill("db.localhost:443");
    await page.getByRole("button", { name: "Create TLS edge" }).click();
    await page.getByRole("heading", { name: "db.localhost:443" }).waitFor();
    const [edge] = await pages.edges("tls");
    await pages.addStage("Mutual TLS");
    await page.getByText("set TLS termination to “at the edge” first").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await pages.addStage("TLS termination");
    await page.getByRole("radio", { name: "At the backend" }).check();
    await page.getByRole("radio", { name: "TLS 1.3" }).waitFor({ state: "hidden" });
    await page.getByRole("radio", { name: "At the edge" }).check();
    await page.getByRole("button", { name: "Add TLS termination" }).click();
    await pages.stage("TLS termination").getByText("At the edge, TLS 1.2 or newer").waitFor();
    await pages.addStage("Mutual TLS");
    await page.getByRole("checkbox", { name: "Staff" }).check();
    await page.getByRole("button", { name: "Add Mutual TLS" }).click();
    await pages.stage("Mutual TLS").waitFor();
    await pages.addStage("IP restriction");
    await page.getByRole("checkbox", { name: "Office" }).check();
    await page.getByRole("button", { name: "Add IP restriction" }).click();
    await pages.stage("IP restriction").waitFor();
    const order = await page
      .getByRole("list", { name: "Stages in execution order" })
      .getByRole("heading")
      .allTextContents();
    expect(order).toEqual(["IP restriction", "TLS termination", "Mutual TLS"]);
    await addBackend("tls", edge?.id ?? "");
    await expectAccessible(page);
    expect(await world.manage("GET", `/edges/tls/${edge?.id}`)).toMatchObject({
      tls_termination: { terminate_at: "edge", min_version: "1.2" },
      mutual_tls: { certificate_authorities: [{ id: pages.authority }] },
      ip_restriction: { ip_policies: [{ id: pages.policy }] },
    });
    for (const label of ["Mutual TLS", "TLS termination", "IP restriction", "Backend"])
      await pages.removeStage(label);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page
      .getByRole("dialog", { name: "Delete db.localhost" })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByText("There is no TLS edge yet.").waitFor();
    expect(await pages.edges("tls")).toEqual([]);
  });

  it("a TCP edge is made, turns a visitor away, and is deleted", async () => {
    const { first_tcp_port: port } = await world.manage<{ first_tcp_port: number }>("GET", "/server");
    await page.getByRole("link", { name: "TCP edges" }).click();
    await page.getByRole("button", { name: "New TCP edge" }).first().click();
    await page.getByText(`localhost and a port from ${port} to`).waitFor();
    await page.getByRole("textbox", { name: "Addresses" }).fill("localhost:1");
    await page.getByRole("button", { name: "Create TCP edge" }).click();
    await page.getByRole("alert").getByText("Port 1 is not one of this server").waitFor();
    await page.getByRole("textbox", { name: "Addresses" }).fill(`localhost:${port}`);
    await page.getByRole("textbox", { name: "Description" }).fill("Database");
    await page.getByRole("button", { name: "Create TCP edge" }).click();
    await page.getByRole("heading", { name: "Database" }).waitFor();
    const [edge] = await pages.edges("tcp");
    expect(edge?.hostports).toEqual([`localhost:${port}`]);
    await pages.addStage("IP restriction");
    await page.getByRole("checkbox", { name: "Office" }).check();
    await page.getByRole("button", { name: "Add IP restriction" }).click();
    await pages.stage("IP restriction").waitFor();
    await addBackend("tcp", edge?.id ?? "");
    await pages.removeStage("IP restriction");
    await pages.removeStage("Backend");
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("textbox", { name: "Description" }).fill("");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("heading", { name: `localhost:${port}` }).waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: `Delete localhost:${port}?` });
    await dialog.getByText("are closed").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("There is no TCP edge yet.").waitFor();
  });
});

async function addBackend(kind: string, edge: string): Promise<void> {
  const group = await world.manage<{ id: string }>("POST", "/backends/tunnel_group", {
    description: `Group of ${kind}`,
    labels: { kind },
  });
  await pages.addStage("Backend");
  await eventually("the backend among the choices", async () => {
    await page.getByRole("combobox", { name: "Backend" }).selectOption(group.id, { timeout: 1000 });
    return true;
  });
  await page.getByRole("button", { name: "Add Backend" }).click();
  await pages.stage("Backend").getByText(`Group of ${kind}`).waitFor();
  expect(await world.manage("GET", `/edges/${kind}/${edge}/backend`)).toMatchObject({
    backend: { id: group.id },
  });
}

describe("with a keyboard alone", () => {
  it("a stage is added, turned off and removed", async () => {
    const { edge, place } = await pages.shop("keys.localhost");
    await pages.go(place);
    await page.getByRole("button", { name: "Add a stage" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menu").waitFor();
    await page.keyboard.type("Comp");
    await page.keyboard.press("Enter");
    await focused("Compression");
    await tabTo(page, "Add Compression");
    await page.keyboard.press("Enter");
    await pages.stage("Compression").waitFor();
    await focused("Compression");
    await tabTo(page, "Compression enabled");
    await page.keyboard.press("Space");
    await page.getByRole("dialog", { name: "Turn off Compression?" }).waitFor();
    await tabTo(page, "Turn off");
    await page.keyboard.press("Enter");
    await pages.stage("Compression, off").waitFor();
    await focused("Compression enabled");
    await tabTo(page, "Remove Compression");
    await page.keyboard.press("Enter");
    const removal = page.getByRole("dialog", { name: "Remove Compression?" });
    await removal.waitFor();
    await page.keyboard.press("Escape");
    await removal.waitFor({ state: "hidden" });
    await focused("Remove Compression");
    await page.keyboard.press("Enter");
    await removal.waitFor();
    await tabTo(page, "Remove");
    await page.keyboard.press("Enter");
    await removal.waitFor({ state: "hidden" });
    await pages.stage("Compression, off").waitFor({ state: "hidden" });
    expect(await world.manage("GET", place)).toMatchObject({ compression: null });
    await world.manage("DELETE", `/edges/https/${edge}`);
  });
});

/** What has the focus is called so. */
async function focused(name: string): Promise<void> {
  await eventually(`the focus at “${name}”`, async () =>
    (await namesOfFocus(page)).includes(name) ? true : undefined,
  );
}
