// Chromium with pages that remember what went wrong in them: policy violations, errors, and what axe finds.
import { AxeBuilder } from "@axe-core/playwright";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { expect } from "vitest";

const ARTIFACTS = join(import.meta.dirname, "../../../artifacts/browser");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export interface Watched {
  page: Page;
  /** Violations of the content security policy and uncaught errors. */
  wrong: string[];
}

export async function launch(): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  if (!existsSync(executablePath)) throw new Error(`no browser at ${executablePath}; set CHROMIUM`);
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

export async function open(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width: 1180, height: 760 },
    permissions: ["clipboard-read", "clipboard-write"],
    ignoreHTTPSErrors: true,
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const wrong: string[] = [];
  await page.exposeFunction("reportViolation", (words: string) => wrong.push(words));
  await page.addInitScript(() => {
    const report = (words: string) =>
      void (window as unknown as { reportViolation(words: string): void }).reportViolation(words);
    document.addEventListener("securitypolicyviolation", (event) =>
      report(
        `policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`,
      ),
    );
  });
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // A refused or broken request is reported by the browser itself and is part of some specs.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      wrong.push(`console: ${message.text()}`);
  });
  await page.goto(url);
  return { page, wrong };
}

/** Fails with every rule that axe finds broken, and where. */
export async function expectAccessible(page: Page): Promise<void> {
  await expectNothing(new AxeBuilder({ page }).withTags(TAGS));
}

/** What other colours can change: whether the page can be read. */
export async function expectReadable(page: Page): Promise<void> {
  await expectNothing(new AxeBuilder({ page }).withRules(["color-contrast"]));
}

async function expectNothing(builder: AxeBuilder): Promise<void> {
  const { violations } = await builder.analyze();
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(
      (node) => `${id}: ${node.target.join(" ")} ${node.any[0]?.message ?? node.failureSummary ?? ""}`,
    ),
  );
  expect(found).toEqual([]);
}

export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.screenshot({ path: join(ARTIFACTS, `${name}.png`) });
}
