// Working with captured requests, against the real agent: finding, understanding, changing, sending again, keeping.
import type { Page } from "@playwright/test";
import { copied } from "../kit/clipboard";
import { expect, expectAccessible, picture } from "../kit/fixtures";
import { box, expectRows, listed, row, tab, testWithInspectedSite } from "../kit/inspected-site";
import { externalAgent } from "../kit/world";

const test = testWithInspectedSite();

test.describe("a filter", () => {
  test("finds what the agent finds, whichever side evaluates the filter", async ({
    page,
    world,
    url,
    openAgent,
  }) => {
    for (const path of ["/orders/1", "/orders/2?a=b", "/packed", "/large", "/other"])
      await world.visit(`${url}${path}`);
    await openAgent();
    await expectRows(page, 5);
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
      await box(page).fill(filter);
      await expectRows(page, (await listed(world, filter)).length, filter);
    }
  });

  test("holds for what comes in afterwards, also where only the agent can tell", async ({
    page,
    world,
    url,
    openAgent,
  }) => {
    await world.visit(`${url}/before`);
    await openAgent();
    await expect(row(page, "/before")).toBeVisible();
    await box(page).fill("header.content-type:json");
    await expectRows(page, 0);
    await world.visit(`${url}/packed/new`);
    await world.visit(`${url}/plain`);
    await expect(row(page, "/packed/new")).toBeVisible();
    await expectRows(page, 1);
    await box(page).fill("path:new");
    await world.visit(`${url}/new/too`);
    await expectRows(page, 2);
  });

  test("says what is wrong at its place, and keeps what was found", async ({
    page,
    world,
    url,
    openAgent,
  }) => {
    await world.visit(`${url}/one`);
    await openAgent();
    await expect(row(page, "/one")).toBeVisible();
    await box(page).fill("one stauts:200");
    await expect(page.getByText("Did you mean status?")).toBeVisible();
    await expect(box(page)).toHaveAttribute("aria-invalid", "true");
    await expect(page.locator("mark")).toHaveText("s");
    await expect(row(page, "/one")).toHaveCount(1);
    const filters = page.getByRole("rowgroup").evaluate((rows) => getComputedStyle(rows).filter);
    expect(await filters, "rows of an earlier filter are dimmed").toBe("grayscale(1)");
    await expectAccessible(page);
    await picture(page, "inspector-filter-mistake");
    await box(page).fill('path~"("');
    await expect(page.getByText("not a regular expression")).toBeVisible();
  });

  test("is suggested while it is typed", async ({ page, world, url, openAgent }) => {
    await world.visit(`${url}/one`);
    await world.visit(`${url}/two`);
    await openAgent();
    await expect(row(page, "/one")).toBeVisible();
    await page.keyboard.press("/");
    await page.keyboard.type("meth");
    const options = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
    await expect(options.first()).toBeVisible();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(options.filter({ hasText: "method:GET" })).toBeVisible();
    await expectAccessible(page);
    await picture(page, "inspector-suggestions");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.keyboard.type("tw");
    await expect(box(page)).toHaveValue("method:GET tw");
    await expectRows(page, 1);
  });

  test("can be saved as a view", async ({ page, world, url, openAgent }) => {
    await world.visit(`${url}/one`);
    await world.visit(`${url}/two`);
    await openAgent();
    await box(page).fill("method:GET tw");
    await expectRows(page, 1);
    await page.getByRole("button", { name: "Saved views" }).click();
    await page.getByRole("menuitem", { name: "Save this filter…" }).click();
    await page.getByLabel("Name of the view").fill("Twos");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await box(page).fill("");
    await expect.poll(() => new URL(page.url()).searchParams.has("filter")).toBe(false);
    await page.reload();
    await expect(row(page, "/one")).toBeVisible();
    await page.getByRole("button", { name: "Saved views" }).click();
    await page.getByRole("menuitem", { name: "Twos" }).click();
    await expectRows(page, 1);
  });
});

test.describe("a request", () => {
  test("covers secrets in its query", async ({ page, world, url, openAgent }) => {
    await world.visit(`${url}/looked-at?token=s3cret&a=1`);
    await openAgent();
    await row(page, "/looked-at?token=•").click();
    await expect(page.getByRole("table", { name: "Query parameters" })).toBeVisible();
    expect(await page.content()).not.toContain("s3cret");
  });

  test("tells where its time went", async ({ page, world, url, openAgent }) => {
    await world.visit(`${url}/timed`);
    await openAgent();
    await row(page, "/timed").click();
    await tab(page, "Timing");
    const timing = page.getByRole("table", { name: "Timing" });
    for (const stage of ["At the edge", "Modules", "Through the tunnel", "Waiting", "Receiving"])
      await expect(timing.getByRole("rowheader", { name: stage })).toBeVisible();
    await expectAccessible(page);
    await picture(page, "inspector-timing");
  });

  test("tells who let it pass", async ({ page, world, url, openAgent }) => {
    await world.visit(`${url}/decided`);
    await openAgent();
    await row(page, "/decided").click();
    await tab(page, "Decisions");
    await expect(page.getByText("Every module let the request pass")).toBeVisible();
    await expect(
      page.getByRole("table", { name: "Decisions" }).getByRole("row", { name: "IP restriction Passed" }),
    ).toBeVisible();
    await expectAccessible(page);
    await picture(page, "inspector-decisions");
  });

  test("covers the cookies that were set until they are revealed", async ({
    page,
    world,
    url,
    openAgent,
  }) => {
    await world.visit(`${url}/cookies`);
    await openAgent();
    await row(page, "/cookies").click();
    await tab(page, "Headers");
    const set = page.getByRole("table", { name: "Cookies set" });
    await expect(set.getByText("Path=/")).toBeVisible();
    await expect(set).not.toContainText("s3cr3t");
    await set.getByRole("button", { name: "Reveal sid" }).click();
    await expect(set.getByText("s3cr3t")).toBeVisible();
  });

  test("is changed and sent again, with the answers beside it", async ({ page, world, url, openAgent }) => {
    await world.visit(`${url}/form?a=1`);
    await openAgent();
    await row(page, "/form").click();
    await page.keyboard.press("e");
    const form = page.getByRole("form", { name: "Edit and replay" });
    await form.getByLabel("Method").fill("POST");
    await form.getByLabel("Path and query").fill("/changed?b=2");
    await form.getByRole("button", { name: "Add header" }).click();
    await form.getByLabel(/^Name of header \d+$/).fill("X-Added");
    await form.getByLabel("Value of X-Added").fill("it's here");
    await form.getByLabel("Body").fill("a new body");
    await form.getByRole("button", { name: "Send" }).click();
    const answers = page.getByRole("region", { name: "Responses" });
    await expect(answers.getByText("200 OK").first()).toBeVisible();
    await expect(answers.getByText("hello from the site")).toBeVisible();
    expect(world.site.heard).toEqual(["GET /form?a=1", "POST /changed?b=2"]);
    expect(world.site.headers["x-added"]).toBe("it's here");
    await expectAccessible(page);
    await picture(page, "inspector-edit");
  });

  test("is sent again through the edge", async ({ page, world, url, openAgent }) => {
    await world.visit(`${url}/form?a=1`);
    await openAgent();
    await row(page, "/form").click();
    await page.keyboard.press("e");
    const form = page.getByRole("form", { name: "Edit and replay" });
    const answers = page.getByRole("region", { name: "Responses" });
    await form.getByRole("button", { name: "Send" }).click();
    await expect(answers.getByText("200 OK").first()).toBeVisible();
    await form.getByRole("radio", { name: "Through the edge" }).check();
    await form.getByLabel("Path and query").press("Control+Enter");
    await expect(answers.getByText("through the edge")).toBeVisible();
    await expect(
      answers.getByRole("list", { name: "Attempts, newest first" }).getByRole("button").nth(1),
    ).toBeVisible();
    await expect.poll(() => world.site.heard.length).toBe(3);
    expect(world.site.headers["x-forwarded-proto"]).toBe("https");
  });

  test("is not sent with a path that cannot be one", async ({ page, world, url, openAgent }) => {
    await world.visit(`${url}/form?a=1`);
    await openAgent();
    await row(page, "/form").click();
    await page.keyboard.press("e");
    const form = page.getByRole("form", { name: "Edit and replay" });
    await form.getByLabel("Path and query").fill("/with space");
    await expect(form.getByText("The path cannot contain spaces")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(form).toHaveCount(0);
  });

  test("is pinned and noted with keys", async ({ page, world, url, openAgent }) => {
    await world.visit(`${url}/kept`);
    await world.visit(`${url}/other`);
    await openAgent();
    await row(page, "/kept").click();
    await page.keyboard.press("m");
    await expect(row(page, "Pinned /kept")).toBeVisible();
    await page.keyboard.press("n");
    await page.getByLabel("Note", { exact: true }).fill("look here");
    await page.getByLabel("Note", { exact: true }).press("Control+Enter");
    await expect(row(page, "/kept look here")).toBeVisible();
    expect((await listed(world, "pinned:yes note:look")).map(({ path }) => path)).toEqual(["/kept"]);
  });

  for (const [kind, begin] of [
    ["JavaScript (fetch)", "const response = await fetch("],
    ["Python", "import http.client"],
    ["Go", "package main"],
    ["Rust (reqwest)", "reqwest::blocking::Client::builder()"],
    ["HTTPie command", "http --ignore-stdin"],
    ["PowerShell", "Invoke-WebRequest @request"],
  ] as const)
    test(`is copied as ${kind}`, async ({ page, world, url, openAgent }) => {
      await world.visit(`${url}/copied`);
      await openAgent();
      await row(page, "/copied").click();
      await page.getByRole("button", { name: "Copy as" }).click();
      await page.getByRole("menuitem", { name: kind }).click();
      await expect.poll(() => copied(page)).toContain(begin);
    });

  test("is deleted with a key, after asking", async ({ page, world, url, openAgent }) => {
    await world.visit(`${url}/kept`);
    await world.visit(`${url}/other`);
    await openAgent();
    await row(page, "/kept").click();
    await page.keyboard.press("Delete");
    await page
      .getByRole("dialog", { name: "Delete 1 request?" })
      .getByRole("button", { name: "Delete" })
      .click();
    await expect(row(page, "/kept")).toHaveCount(0);
    expect((await listed(world, "")).map(({ path }) => path)).toEqual(["/other"]);
  });
});

test.describe("an empty list", () => {
  test.skip(externalAgent !== null, "an agent that runs already has other tunnels");

  test("sends a sample request through the edge and shows how much room there is", async ({
    page,
    world,
    openAgent,
  }) => {
    await openAgent();
    await expect(page.getByText("Waiting for the first request")).toBeVisible();
    await expectAccessible(page);
    await picture(page, "inspector-empty");
    await page.getByRole("button", { name: "Send a sample request" }).click();
    await expect(row(page, "200 GET /")).toBeVisible();
    await expect.poll(() => world.site.heard).toEqual(["GET /"]);
    const meter = page.getByRole("meter", { name: "Memory for captured requests" });
    await expect(meter).toHaveAttribute("aria-valuetext", / of 50 MB$/);
  });
});

for (const [name, media, viewport] of [
  ["light", { colorScheme: "light" }, { width: 1280, height: 800 }],
  ["dark", { colorScheme: "dark" }, { width: 1920, height: 1080 }],
  ["contrast", { colorScheme: "dark", contrast: "more" }, { width: 1280, height: 800 }],
] as const)
  test.describe(`in ${name} colours nothing is invisible or out of reach`, () => {
    test.use({ viewport });
    test.beforeEach(async ({ page, world, url, openAgent }) => {
      for (const path of ["/orders?limit=20", "/packed", "/large", "/account?token=s3cret"])
        await world.visit(`${url}${path}`);
      const [first] = await listed(world, "path:/orders");
      await world.api("PATCH", `/api/requests/http/${first?.id}`, {
        pinned: true,
        note: "the one from the ticket",
      });
      await page.emulateMedia(media);
      await openAgent();
      await expect(row(page, "/account")).toBeVisible();
    });

    test("in the list", async ({ page }) => {
      await looksRight(page, `inspector-list-${name}`);
    });

    for (const part of ["Headers", "Timing", "Decisions"])
      test(`in the tab ${part}`, async ({ page }) => {
        await row(page, "/orders").click();
        await tab(page, part);
        await expect(page.getByRole("tabpanel", { name: part })).toBeVisible();
        await looksRight(page, `inspector-${part.toLowerCase()}-${name}`);
      });

    test("in the editor", async ({ page }) => {
      await row(page, "/orders").click();
      await page.keyboard.press("r");
      await expect(page.getByRole("heading", { name: "Replays" })).toBeVisible();
      await page.keyboard.press("e");
      const answers = page.getByRole("region", { name: "Responses" });
      await expect(answers.getByText("hello from the site")).toBeVisible();
      await looksRight(page, `inspector-editor-${name}`);
    });

    test("in a difference, and where many are sent again", async ({ page }) => {
      await row(page, "/orders").click();
      await page.keyboard.press("r");
      await expect(page.getByRole("heading", { name: "Replays" })).toBeVisible();
      await page.keyboard.press("d");
      await expect(page.getByRole("heading", { name: "2 requests selected" })).toBeVisible();
      await looksRight(page, `inspector-difference-${name}`);
      await page.getByRole("button", { name: "Replay many" }).click();
      await expect(page.getByRole("form", { name: "Replay many" })).toBeVisible();
      await looksRight(page, `inspector-many-${name}`);
    });

    test("in suggestions for a filter", async ({ page }) => {
      await box(page).fill("status:");
      await expect(page.getByRole("option", { name: "status:5xx" })).toBeVisible();
      await looksRight(page, `inspector-suggestions-${name}`);
    });

    test("in a mistake in a filter", async ({ page }) => {
      await box(page).fill("dur>soon");
      await expect(page.getByText("a bound with a unit")).toBeVisible();
      await looksRight(page, `inspector-mistake-${name}`);
    });
  });

async function looksRight(page: Page, name: string): Promise<void> {
  await expectAccessible(page);
  await picture(page, name);
}
