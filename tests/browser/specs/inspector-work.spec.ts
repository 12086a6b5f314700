// Working with captured requests, against the real agent: finding, understanding, changing, sending again, keeping.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectAccessible, launch, open, picture } from "../kit/browser";
import { externalAgent, World } from "../kit/world";

let browser: Browser;
let world: World;
let page: Page;
let wrong: string[];
let url: string;

beforeAll(async () => {
  browser = await launch();
  world = await World.start();
  const tunnel = {
    name: "shop",
    proto: "http",
    addr: String(world.site.port),
    ip_restriction: { allow_cidrs: ["127.0.0.0/8", "::1/128"] },
  };
  url = (await world.api<{ public_url: string }>("POST", "/api/tunnels", tunnel)).public_url;
});
afterAll(async () => {
  await world?.stop();
  await browser?.close();
});
beforeEach(async () => {
  world.site.heard = [];
  await world.api("DELETE", "/api/requests/http");
});
afterEach(async () => {
  await page?.context().close();
  expect(wrong, "no violation of the agent's policy, no error in the page").toEqual([]);
});

async function show(query = ""): Promise<void> {
  ({ page, wrong } = await open(browser, `${world.url}/${query}`));
  await page.getByText("Online").waitFor();
}

const box = () => page.getByRole("combobox", { name: "Filter requests" });
const row = (name: string) => page.getByRole("row", { name });
const tab = (name: string) => page.getByRole("tab", { name, exact: true }).click();
const rows = async () => (await page.getByRole("grid").getAttribute("aria-rowcount")) ?? "";
/** How many rows there are, the header left out. */
const count = async () => Number(await rows()) - 1;

interface Listed {
  id: string;
  path: string;
  pinned: boolean;
  note: string | null;
}
const listed = async (filter: string) => {
  const query = new URLSearchParams({ limit: "1000", filter });
  return (await world.api<{ requests: Listed[] }>("GET", `/api/requests/http/summaries?${query}`)).requests;
};

describe("a filter", () => {
  it("finds what the agent finds, whichever side evaluates the filter", async () => {
    for (const path of ["/orders/1", "/orders/2?a=b", "/packed", "/large", "/other"])
      await world.visit(`${url}${path}`);
    await show();
    await expect.poll(count).toBe(5);
    for (const filter of [
      "orders",
      "path:/o*r",
      "status:2xx not orders",
      'path~"/orders/[0-9]+$"',
      "header.content-type:json",
      "type:text",
      'body:"hello from"',
      "response.body:xxxx or packed",
      "size>1mb",
      "remote:127 (orders or other)",
      "nothing-has-this",
    ]) {
      await box().fill(filter);
      await expect.poll(count, { message: filter }).toBe((await listed(filter)).length);
    }
  });

  it("holds for what comes in afterwards, also where only the agent can tell", async () => {
    await world.visit(`${url}/before`);
    await show();
    await row("/before").waitFor();
    await box().fill("header.content-type:json");
    await expect.poll(count).toBe(0);
    await world.visit(`${url}/packed/new`);
    await world.visit(`${url}/plain`);
    await row("/packed/new").waitFor();
    expect(await count()).toBe(1);
    await box().fill("path:new");
    await world.visit(`${url}/new/too`);
    await expect.poll(count).toBe(2);
  });

  it("says what is wrong at its place, and keeps what was found", async () => {
    await world.visit(`${url}/one`);
    await show();
    await row("/one").waitFor();
    await box().fill("one stauts:200");
    await page.getByText("Did you mean `status`?").waitFor();
    expect(await box().getAttribute("aria-invalid")).toBe("true");
    await expect.poll(() => page.locator("mark").textContent()).toBe("s");
    expect(await row("/one").count()).toBe(1);
    await expectAccessible(page);
    await picture(page, "inspector-filter-mistake");
    await box().fill('path~"("');
    await page.getByText("not a regular expression").waitFor();
  });

  it("is suggested while it is typed, and can be saved", async () => {
    await world.visit(`${url}/one`);
    await world.visit(`${url}/two`);
    await show();
    await row("/one").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("meth");
    const options = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
    await options.first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await options.filter({ hasText: "method:GET" }).waitFor();
    await expectAccessible(page);
    await picture(page, "inspector-suggestions");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.keyboard.type("tw");
    expect(await box().inputValue()).toBe("method:GET tw");
    await expect.poll(count).toBe(1);
    await page.getByRole("button", { name: "Saved views" }).click();
    await page.getByRole("menuitem", { name: "Save this filter…" }).click();
    await page.getByLabel("Name of the view").fill("Twos");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await box().fill("");
    await expect.poll(() => new URL(page.url()).searchParams.has("filter")).toBe(false);
    await page.reload();
    await row("/one").waitFor();
    await page.getByRole("button", { name: "Saved views" }).click();
    await page.getByRole("menuitem", { name: "Twos" }).click();
    await expect.poll(count).toBe(1);
  });
});

describe("a request", () => {
  it("tells where its time went and who let it pass", async () => {
    await world.visit(`${url}/looked-at?token=s3cret&a=1`);
    await show();
    await row("/looked-at?token=•").click();
    await page.getByRole("table", { name: "Query parameters" }).waitFor();
    expect(await page.content()).not.toContain("s3cret");
    await tab("Timing");
    const timing = page.getByRole("table", { name: "Timing" });
    for (const stage of ["At the edge", "Modules", "Through the tunnel", "Waiting", "Receiving"])
      await timing.getByRole("rowheader", { name: stage }).waitFor();
    await expectAccessible(page);
    await picture(page, "inspector-timing");
    await tab("Decisions");
    await page.getByText("Every module let the request pass").waitFor();
    await page
      .getByRole("table", { name: "Decisions" })
      .getByRole("row", { name: "IP restriction Passed" })
      .waitFor();
    await expectAccessible(page);
    await picture(page, "inspector-decisions");
    await tab("Headers");
    const set = page.getByRole("table", { name: "Cookies set" });
    await set.getByText("Path=/").waitFor();
    expect(await set.textContent()).not.toContain("s3cr3t");
    await set.getByRole("button", { name: "Reveal sid" }).click();
    await set.getByText("s3cr3t").waitFor();
  });

  it("is changed and sent again, both ways, with the answers beside it", async () => {
    await world.visit(`${url}/form?a=1`);
    await show();
    await row("/form").click();
    await page.keyboard.press("e");
    const form = page.getByRole("form", { name: "Edit and replay" });
    await form.getByLabel("Method").fill("POST");
    await form.getByLabel("Path and query").fill("/changed?b=2");
    await form.getByRole("button", { name: "Add a header" }).click();
    await form.getByLabel(/^Name of header \d+$/).fill("X-Added");
    await form.getByLabel("Value of X-Added").fill("it's here");
    await form.getByLabel("Body").fill("a new body");
    await form.getByRole("button", { name: "Send" }).click();
    const answers = page.getByRole("region", { name: "Responses" });
    await answers.getByText("200 OK").first().waitFor();
    await answers.getByText("hello from the site").waitFor();
    expect(world.site.heard).toEqual(["GET /form?a=1", "POST /changed?b=2"]);
    expect(world.site.headers["x-added"]).toBe("it's here");
    await expectAccessible(page);
    await picture(page, "inspector-edit");

    await form.getByRole("radio", { name: "Through the edge" }).check();
    await form.getByLabel("Path and query").press("Control+Enter");
    await answers.getByText("through the edge").waitFor();
    await answers.getByRole("list", { name: "Attempts, newest first" }).getByRole("button").nth(1).waitFor();
    await expect.poll(() => world.site.heard.length).toBe(3);
    expect(world.site.headers["x-forwarded-proto"]).toBe("https");
    await form.getByLabel("Path and query").fill("/with space");
    await form.getByText("The path cannot contain spaces").waitFor();
    await page.keyboard.press("Escape");
    await form.waitFor({ state: "detached" });
  });

  it("is pinned, noted, copied and deleted with keys", async () => {
    await world.visit(`${url}/kept`);
    await world.visit(`${url}/other`);
    await show();
    await row("/kept").click();
    await page.keyboard.press("m");
    await row("Pinned /kept").waitFor();
    await page.keyboard.press("n");
    await page.getByLabel("Note", { exact: true }).fill("look here");
    await page.getByLabel("Note", { exact: true }).press("Control+Enter");
    await row("/kept look here").waitFor();
    expect((await listed("pinned:yes note:look")).map(({ path }) => path)).toEqual(["/kept"]);
    for (const [kind, begin] of [
      ["JavaScript (fetch)", "const response = await fetch("],
      ["Python", "import http.client"],
    ] as const) {
      await page.getByRole("button", { name: "Copy as" }).click();
      await page.getByRole("menuitem", { name: kind }).click();
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(begin);
    }
    await page.keyboard.press("Delete");
    await page
      .getByRole("dialog", { name: "Delete 1 request?" })
      .getByRole("button", { name: "Delete" })
      .click();
    await row("/kept").waitFor({ state: "detached" });
    expect((await listed("")).map(({ path }) => path)).toEqual(["/other"]);
  });
});

describe("several requests", () => {
  it("are selected with keys and sent again at a pace, with a table of what came back", async () => {
    for (const path of ["/a", "/b", "/c"]) await world.visit(`${url}${path}`);
    await show();
    await row("/c").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByRole("heading", { name: "2 requests selected" }).waitFor();
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByRole("heading", { name: "3 requests selected" }).waitFor();
    const form = page.getByRole("form", { name: "Replay many" });
    await form.getByLabel("Times each").fill("4");
    await form.getByLabel("Requests per second").fill("50");
    await form.getByRole("button", { name: "Send 12" }).click();
    await page.getByText("12 of 12 sent").waitFor();
    const results = page.getByRole("table", { name: "Results" });
    await expect.poll(() => results.getByRole("button", { name: "200 OK" }).count()).toBe(12);
    await expect.poll(() => world.site.heard.length).toBe(15);
    await expectAccessible(page);
    await picture(page, "inspector-replay-many");
    await page.getByRole("button", { name: "Delete the selected requests" }).click();
    await page
      .getByRole("dialog", { name: "Delete 3 requests?" })
      .getByRole("button", { name: "Delete" })
      .click();
    await expect.poll(async () => (await listed("replayed:no")).length).toBe(0);
  });

  it("are saved as a HAR file and read back", async () => {
    for (const path of ["/one?token=s3cret", "/two"]) await world.visit(`${url}${path}`);
    await show();
    await row("/two").waitFor();
    await box().fill("path:one");
    await expect.poll(count).toBe(1);
    const more = page.getByRole("button", { name: "Actions on all requests" });
    await more.click();
    await page.getByRole("menuitem", { name: "Save as HAR…" }).click();
    const dialog = page.getByRole("dialog", { name: "Save as a HAR file" });
    await dialog.getByText("1 request").waitFor();
    await expectAccessible(page);
    const saving = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Save" }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toBe("postern.har");
    const text = readFileSync(await download.path(), "utf8");
    expect(text).toContain("/one");
    expect(text).not.toMatch(/s3cret|s3cr3t|\/two/);

    await world.api("DELETE", "/api/requests/http");
    const file = join(world.folder, "again.har");
    writeFileSync(file, text);
    await box().fill("");
    const choosing = page.waitForEvent("filechooser");
    await more.click();
    await page.getByRole("menuitem", { name: "Import a HAR file…" }).click();
    await (await choosing).setFiles(file);
    await row("From a file /one").waitFor();
    await page.getByText("1 request imported from again.har").waitFor();
    await row("/one").click();
    await tab("Decisions");
    await page.getByText("Imported from a file").waitFor();
  });
});

describe.skipIf(externalAgent !== null)("an empty list", () => {
  it("sends a sample request through the edge and shows how much room there is", async () => {
    await show();
    await page.getByText("Waiting for the first request").waitFor();
    await expectAccessible(page);
    await picture(page, "inspector-empty");
    await page.getByRole("button", { name: "Send a sample request" }).click();
    await row("200 GET /").waitFor();
    await expect.poll(() => world.site.heard).toEqual(["GET /"]);
    const meter = page.getByRole("meter", { name: "Memory for captured requests" });
    expect(await meter.getAttribute("aria-valuetext")).toMatch(/ of 50 MB$/);
  });
});

const looks = [
  ["light", { colorScheme: "light", viewport: { width: 1280, height: 800 } }],
  ["dark", { colorScheme: "dark", viewport: { width: 1920, height: 1080 } }],
  ["contrast", { colorScheme: "dark", contrast: "more", viewport: { width: 1280, height: 800 } }],
] as const;

describe.each(looks)("in %s colours", (name, options) => {
  it("has nothing that a person could not see or reach", async () => {
    for (const path of ["/orders?limit=20", "/packed", "/large", "/account?token=s3cret"])
      await world.visit(`${url}${path}`);
    const [first] = await listed("path:/orders");
    await world.api("PATCH", `/api/requests/http/${first?.id}`, {
      pinned: true,
      note: "the one from the ticket",
    });
    ({ page, wrong } = await open(browser, `${world.url}/`, options));
    const looked = async (state: string) => {
      await expectAccessible(page);
      await picture(page, `inspector-${state}-${name}`);
    };
    await row("/account").waitFor();
    await looked("list");
    await row("/orders").click();
    for (const part of ["Headers", "Timing", "Decisions"]) {
      await tab(part);
      await page.getByRole("tabpanel", { name: part }).waitFor();
      await looked(part.toLowerCase());
    }
    await page.keyboard.press("r");
    await page.getByRole("heading", { name: "Replays" }).waitFor();
    await page.keyboard.press("e");
    await page.getByRole("region", { name: "Responses" }).getByText("hello from the site").waitFor();
    await looked("editor");
    await page.keyboard.press("Escape");
    await page.keyboard.press("d");
    await page.getByRole("heading", { name: "2 requests selected" }).waitFor();
    await looked("difference");
    await page.getByRole("button", { name: "Replay many" }).click();
    await looked("many");
    await page.keyboard.press("Escape");
    await box().fill("status:");
    await page.getByRole("option", { name: "status:5xx" }).waitFor();
    await looked("suggestions");
    await box().fill("dur>soon");
    await page.getByText("a bound with a unit").waitFor();
    await looked("mistake");
  });
});
