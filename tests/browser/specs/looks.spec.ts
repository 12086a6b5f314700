// Every state of both pages in both colour schemes and at every width: pictures to look at, axe finds nothing,
// the content security policy is never violated.
import type { Page } from "@playwright/test";
import { exchange, ordinary } from "../kit/captured";
import type { FakeAgent } from "../kit/fake-agent";
import { expect, expectAccessible, picture, testWithFakeAgent } from "../kit/fixtures";

const test = testWithFakeAgent.extend<{ shop: FakeAgent }>({
  shop: async ({ agent }, use) => {
    fill(agent);
    await use(agent);
  },
});

const schemes = ["light", "dark"] as const;
const sizes = {
  wide: { width: 1180, height: 760 },
  small: { width: 900, height: 600 },
  narrow: { width: 480, height: 760 },
};

function fill(agent: FakeAgent): void {
  agent.tunnel({ name: "shop", state: "running", public_url: "https://amber-fox-1234.localhost:4443" });
  agent.tunnel({
    name: "postgres",
    definition: { proto: "tcp", addr: 5432 },
    state: "running",
    public_url: "tcp://localhost:24010",
  });
  agent.tunnel({
    name: "admin",
    definition: { proto: "http", addr: "https://localhost:8443", domain: "admin" },
  });
  agent.tunnel({
    name: "blog",
    definition: { proto: "http", addr: 4000, domain: "blog" },
    state: "failed",
    error: {
      code: "ERR_POSTERN_334",
      message: "The name blog.localhost is already in use by another agent.",
    },
  });
  for (const captured of ordinary()) agent.captures(captured);
}

async function looksRight(page: Page, name: string): Promise<void> {
  await expectAccessible(page);
  await picture(page, name);
}

async function showBody(page: Page, row: string, side: "Request" | "Response"): Promise<void> {
  await page.goto("/");
  await page.getByRole("row", { name: row }).click();
  await page.getByRole("tab", { name: side }).click();
}

// Judging a page takes long on a machine with much else to do.
test.describe.configure({ timeout: 180_000 });

for (const colorScheme of schemes) {
  test.describe(`in ${colorScheme} colours`, () => {
    test.use({ colorScheme });

    for (const [name, viewport] of Object.entries(sizes)) {
      test.describe(`in a ${name} window`, () => {
        test.use({ viewport });

        test("shows the main window", async ({ page, shop: _ }) => {
          await page.goto("/index.html");
          await expect(page.getByRole("heading", { name: "shop" })).toBeVisible();
          await expect(page.getByText("128 requests")).toBeVisible();
          await looksRight(page, `main-${name}-${colorScheme}`);
        });

        test("shows a request in the main window", async ({ page, shop: _ }) => {
          await page.goto("/index.html");
          if (name === "narrow")
            await page.getByRole("navigation").getByRole("button", { name: "Requests" }).click();
          await page.getByRole("row", { name: "/api/orders?limit" }).click();
          await expect(page.getByRole("heading", { name: "/api/orders" })).toBeVisible();
          await expect(page.getByText("203.0.113.7", { exact: true })).toBeVisible();
          await looksRight(page, `main-detail-${name}-${colorScheme}`);
        });
      });
    }

    for (const tab of ["Overview", "Request", "Response", "Headers", "Raw"]) {
      test(`shows the tab ${tab} of a request`, async ({ page, shop: _ }) => {
        await page.goto("/");
        await page.getByRole("row", { name: "POST /api/orders" }).click();
        await page.getByRole("tab", { name: tab }).click();
        await expect(page.getByRole("tabpanel", { name: tab })).toBeVisible();
        await looksRight(page, `inspector-${tab.toLowerCase()}-${colorScheme}`);
      });
    }

    test("shows JSON as a tree", async ({ page, shop: _ }) => {
      await showBody(page, "POST /api/orders", "Response");
      await page.getByRole("button", { name: "Tree" }).click();
      await expect(page.getByRole("treeitem").first()).toBeVisible();
      await looksRight(page, `inspector-tree-${colorScheme}`);
    });

    test("shows a mistake in JSON", async ({ page, shop: _ }) => {
      await showBody(page, "/webhooks/payments", "Response");
      await expect(page.getByText("Not valid JSON: line 3, column 3")).toBeVisible();
      await looksRight(page, `inspector-mistake-${colorScheme}`);
    });

    test("shows a body that was cut", async ({ page, shop: _ }) => {
      await showBody(page, "catalogue.bin", "Request");
      await expect(page.getByText("Incomplete: only the beginning")).toBeVisible();
      await looksRight(page, `inspector-hex-${colorScheme}`);
    });

    test("shows an image", async ({ page, shop: _ }) => {
      await showBody(page, "leaf.png", "Response");
      await expect(page.getByRole("img", { name: "response body" })).toBeVisible();
      await looksRight(page, `inspector-image-${colorScheme}`);
    });

    test("shows the shortcuts", async ({ page, shop: _ }) => {
      await page.goto("/");
      await expect(page.getByRole("row", { name: "leaf.png" })).toBeVisible();
      await page.keyboard.press("?");
      await expect(page.getByRole("dialog", { name: "Shortcuts and filters" })).toBeVisible();
      await looksRight(page, `inspector-keys-${colorScheme}`);
    });

    test.describe("in a small window", () => {
      test.use({ viewport: sizes.small });

      test("shows that the server is away", async ({ page, shop }) => {
        disconnect(shop);
        await page.goto("/index.html");
        await expect(page.getByText(/Next attempt in \d+ s/).first()).toBeVisible();
        await looksRight(page, `main-offline-${colorScheme}`);
      });

      test("shows the settings while the server is away", async ({ page, shop }) => {
        disconnect(shop);
        await page.goto("/index.html");
        await page.getByRole("button", { name: "Settings" }).click();
        await expect(page.getByRole("dialog", { name: "Settings" })).toBeVisible();
        await looksRight(page, `main-settings-${colorScheme}`);
      });

      test("shows the first run", async ({ page }) => {
        await page.goto("/index.html");
        await expect(page.getByRole("heading", { name: "Publish a local service" })).toBeVisible();
        await looksRight(page, `main-first-${colorScheme}`);
      });

      test("shows what is missing in a form", async ({ page }) => {
        await page.goto("/index.html");
        await page.getByRole("button", { name: "Add a TCP tunnel" }).click();
        await page.getByRole("button", { name: "Add and start" }).click();
        await expect(page.getByText("Enter the port or address of the local service")).toBeVisible();
        await looksRight(page, `main-add-${colorScheme}`);
      });
    });
  });
}

function disconnect(agent: FakeAgent): void {
  agent.session = {
    ...agent.session,
    state: "waiting",
    reason: { code: "ERR_POSTERN_8112", message: "The server at localhost:4443 refused the connection." },
    next_try: new Date(Date.now() + 14_000).toISOString(),
    attempt: 4,
    legs: [],
  };
}

test.describe("for people with particular settings", () => {
  for (const [name, media] of [
    ["forced", { forcedColors: "active" as const }],
    ["contrast", { contrast: "more" as const }],
  ] as const)
    test(`works with ${name} colours`, async ({ page, shop }) => {
      await page.emulateMedia(media);
      shop.captures(exchange({ path: "/last" }));
      await page.goto("/index.html");
      await page.getByRole("row", { name: "/last" }).click();
      await page.getByRole("tab", { name: "Headers" }).click();
      await looksRight(page, `main-${name}`);
    });
});
