// Two captured exchanges set beside each other: what differs, and nothing that does not matter.
import type { Page } from "@playwright/test";
import { gzipSync } from "node:zlib";
import { expect, expectAccessible, picture } from "../kit/fixtures";
import { testWithService, type Inspector } from "../kit/inspector";

const BEFORE = {
  id: 1,
  state: "open",
  lines: [
    { sku: "TEA-250", price: 7.5 },
    { sku: "CUP-01", price: 12 },
  ],
  note: null,
};
const AFTER = {
  lines: [
    { sku: "POT-9", price: 30 },
    { price: 7.5, sku: "TEA-250" },
    { sku: "CUP-01", price: 11 },
  ],
  state: "paid",
  id: 1,
  "paid at": "12:04",
};

const test = testWithService();
test.use({
  viewport: { width: 1280, height: 800 },
  colorScheme: "light",
  contextOptions: { reducedMotion: "reduce" },
});

const head = (page: Page) => page.getByRole("region", { name: "Differences in the head" });
const body = (page: Page) => page.getByRole("region", { name: "Differences in the body", exact: true });

type Answers = readonly { headers: Record<string, string>; body: string | Buffer }[];

async function compare(inspector: Inspector, path: string, answers: Answers): Promise<void> {
  for (const [at, answer] of answers.entries()) {
    inspector.service.says(path, answer);
    await inspector.visit(`${path}?v=${at}`);
    await expect(inspector.row(`${path}?v=${at}`)).toBeVisible();
  }
  await inspector.row(`${path}?v=0`).click();
  await inspector.row(`${path}?v=1`).click({ modifiers: ["Control"] });
  await expect(head(inspector.page)).toBeVisible();
}

const ORDERS: Answers = [
  {
    headers: {
      "Content-Type": "application/json",
      "X-Version": "1",
      Vary: "Accept",
      "X-Request-Id": "a",
    },
    body: JSON.stringify(BEFORE),
  },
  {
    headers: {
      "x-request-id": "b",
      vary: "Accept",
      "content-type": "application/json",
      "Content-Encoding": "gzip",
      "X-Version": "2",
    },
    body: gzipSync(JSON.stringify(AFTER, null, 2)),
  },
];

test.describe("two selected requests", () => {
  test("are compared value by value, whatever their order and their layout", async ({ page, inspector }) => {
    await compare(inspector, "/order", ORDERS);
    await expect(body(page).getByText("5 values differ")).toBeVisible();
    const rows = body(page).getByRole("region");
    for (const words of [
      "$.note",
      '$["paid at"]',
      '$.state  "open"  →  "paid"',
      "$.lines[0]",
      "$.lines[2].price  12  →  11",
    ])
      await expect(rows.getByText(words).first()).toBeVisible();
    await expect(rows.getByText("$.id")).toHaveCount(0);
    const headers = head(page).getByRole("row");
    await expect(headers.filter({ hasText: "X-Version" })).toBeVisible();
    await expect(headers.filter({ hasText: /vary|x-request-id/i })).toHaveCount(0);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
      await picture(page, `diff-values-${colorScheme}`);
    }
  });

  test("show all headers, and which of them are ignored", async ({ page, inspector }) => {
    await compare(inspector, "/headers", ORDERS);
    const headers = head(page).getByRole("row");
    await head(page).getByRole("button", { name: "All headers" }).click();
    await expect(headers.filter({ hasText: "identical" }).filter({ hasText: /vary/i })).toBeVisible();
    await expect(headers.filter({ hasText: /x-request-id/i }).getByText("ignored")).toBeVisible();
    await head(page).getByRole("button", { name: "Ignored headers" }).click();
    await head(page).getByRole("textbox").fill("X-Version");
    await expect(headers.filter({ hasText: "X-Version" }).getByText("ignored")).toBeVisible();
    await head(page).getByRole("button", { name: "Reset to default" }).click();
    await expect(headers.filter({ hasText: "X-Version" }).getByText("ignored")).toHaveCount(0);
  });

  test("are compared by line on request, and their requests as well", async ({ page, inspector }) => {
    await compare(inspector, "/by-line", ORDERS);
    await body(page).getByRole("button", { name: "By line" }).click();
    await expect(body(page).getByText(/lines differ/)).toBeVisible();
    await page.getByRole("button", { name: "Request", exact: true }).click();
    await expect(body(page).getByText("identical")).toBeVisible();
  });

  test("of text are compared line by line, with what is the same folded away", async ({
    page,
    inspector,
  }) => {
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`);
    await compare(inspector, "/log", [
      { headers: { "Content-Type": "text/plain" }, body: lines.join("\n") },
      { headers: { "Content-Type": "text/plain" }, body: lines.with(100, "another line").join("\n") },
    ]);
    await expect(body(page).getByText("2 lines differ")).toBeVisible();
    await expect(body(page).getByText("another line")).toBeVisible();
    await body(page).getByText("identical lines").first().click();
    await expect(body(page).getByText("line 5", { exact: true })).toBeVisible();
    await picture(page, "diff-lines");
    await expectAccessible(page);
  });

  test("of bytes say from where on they differ", async ({ page, inspector }) => {
    await compare(inspector, "/bytes", [
      { headers: { "Content-Type": "application/octet-stream" }, body: Buffer.from([0, 1, 2, 3]) },
      { headers: { "Content-Type": "application/octet-stream" }, body: Buffer.from([0, 1, 9, 3]) },
    ]);
    await expect(body(page).getByText("They differ from byte 2 on.")).toBeVisible();
  });

  test("that are equal say so", async ({ page, inspector }) => {
    await compare(inspector, "/same", [
      { headers: { "Content-Type": "text/plain" }, body: "same" },
      { headers: { "Content-Type": "text/plain" }, body: "same" },
    ]);
    await expect(body(page).getByText("identical,")).toBeVisible();
    await expect(head(page).getByText("no header differs")).toBeVisible();
  });

  test("as different as can be do not make the page wait", async ({ page, inspector }) => {
    const many = (word: string) => Array.from({ length: 60_000 }, (_, at) => `${word} ${at}`).join("\n");
    await compare(inspector, "/many", [
      { headers: { "Content-Type": "text/plain" }, body: many("before") },
      { headers: { "Content-Type": "text/plain" }, body: many("after") },
    ]);
    await expect(body(page).getByText("too different for a comparison by lines")).toBeVisible();
  });
});
