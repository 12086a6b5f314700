// Two captured exchanges set beside each other: what differs, and nothing that does not matter.
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectAccessible, launch, open, picture } from "../kit/browser";
import { request, sends, Service } from "../kit/service";
import { externalAgent, World } from "../kit/world";

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

describe.skipIf(externalAgent !== null)("two selected requests", { timeout: 90_000 }, () => {
  let browser: Browser;
  let world: World;
  let service: Service;
  let url: string;
  let page: Page;
  let wrong: string[];

  beforeAll(async () => {
    browser = await launch();
    service = await Service.start();
    world = await World.start();
    ({ public_url: url } = await world.api<{ public_url: string }>("POST", "/api/tunnels", {
      name: "diff",
      proto: "http",
      addr: String(service.port),
    }));
    ({ page, wrong } = await open(browser, `${world.url}/`, {
      viewport: { width: 1280, height: 800 },
      colorScheme: "light",
      reducedMotion: "reduce",
    }));
    await page.getByText("Online").waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
    await service?.stop();
  });
  beforeEach(() => {
    wrong.length = 0;
  });

  const head = () => page.getByRole("region", { name: "Differences in the head" });
  const body = () => page.getByRole("region", { name: "Differences in the body", exact: true });

  async function compare(
    path: string,
    answers: readonly { headers: Record<string, string>; body: string | Buffer }[],
    queries: readonly string[] = ["?v=1", "?v=2"],
  ) {
    for (const [at, answer] of answers.entries()) {
      service.says(path, answer);
      await sends(world, url, request(url, `${path}${queries[at]}`));
      await page.getByRole("row", { name: `${path}${queries[at]}` }).waitFor();
    }
    await page.getByRole("row", { name: `${path}${queries[0]}` }).click();
    await page.getByRole("row", { name: `${path}${queries[1]}` }).click({ modifiers: ["Control"] });
    await head().waitFor();
  }

  it("are compared value by value, whatever their order and their layout", async () => {
    await compare("/order", [
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
    ]);
    await body().getByText("5 values differ").waitFor();
    const rows = body().getByRole("region");
    for (const words of [
      "$.note",
      '$["paid at"]',
      '$.state  "open"  →  "paid"',
      "$.lines[0]",
      "$.lines[2].price  12  →  11",
    ])
      await rows.getByText(words).first().waitFor();
    expect(await rows.getByText("$.id").count()).toBe(0);
    const headers = head().getByRole("row");
    await headers.filter({ hasText: "X-Version" }).waitFor();
    expect(await headers.filter({ hasText: /vary|x-request-id/i }).count()).toBe(0);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
      await picture(page, `diff-values-${colorScheme}`);
    }
    await page.emulateMedia({ colorScheme: "light" });
    await head().getByRole("button", { name: "All headers" }).click();
    await headers.filter({ hasText: "identical" }).filter({ hasText: /vary/i }).waitFor();
    await headers
      .filter({ hasText: /x-request-id/i })
      .getByText("ignored")
      .waitFor();
    await head().getByRole("button", { name: "Ignored headers" }).click();
    await head().getByRole("textbox").fill("X-Version");
    await headers.filter({ hasText: "X-Version" }).getByText("ignored").waitFor();
    await head().getByRole("button", { name: "Reset to default" }).click();
    await body().getByRole("button", { name: "By line" }).click();
    await body()
      .getByText(/lines differ/)
      .waitFor();
    await page.getByRole("button", { name: "Request", exact: true }).click();
    await body().getByText("identical").waitFor();
    expect(wrong).toEqual([]);
  });

  it("of text are compared line by line, with what is the same folded away", async () => {
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`);
    await compare("/log", [
      { headers: { "Content-Type": "text/plain" }, body: lines.join("\n") },
      { headers: { "Content-Type": "text/plain" }, body: lines.with(100, "another line").join("\n") },
    ]);
    await body().getByText("2 lines differ").waitFor();
    await body().getByText("another line").waitFor();
    await body().getByText("identical lines").first().click();
    await body().getByText("line 5", { exact: true }).waitFor();
    await picture(page, "diff-lines");
    await expectAccessible(page);
    expect(wrong).toEqual([]);
  });

  it("of bytes say from where on they differ, and equal ones that they are equal", async () => {
    await compare("/bytes", [
      { headers: { "Content-Type": "application/octet-stream" }, body: Buffer.from([0, 1, 2, 3]) },
      { headers: { "Content-Type": "application/octet-stream" }, body: Buffer.from([0, 1, 9, 3]) },
    ]);
    await body().getByText("They differ from byte 2 on.").waitFor();
    await compare("/same", [
      { headers: { "Content-Type": "text/plain" }, body: "same" },
      { headers: { "Content-Type": "text/plain" }, body: "same" },
    ]);
    await body().getByText("identical,").waitFor();
    await head().getByText("no header differs").waitFor();
    expect(wrong).toEqual([]);
  });

  it("as different as can be do not make the page wait", async () => {
    const many = (word: string) => Array.from({ length: 60_000 }, (_, at) => `${word} ${at}`).join("\n");
    await compare("/many", [
      { headers: { "Content-Type": "text/plain" }, body: many("before") },
      { headers: { "Content-Type": "text/plain" }, body: many("after") },
    ]);
    await body().getByText("too different for a comparison by lines").waitFor();
    expect(wrong).toEqual([]);
  });
});
