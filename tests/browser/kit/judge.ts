// What is said of a page as it stands: whether axe finds rules broken, and a picture for people to look at.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { join } from "node:path";

const ARTIFACTS = join(import.meta.dirname, "../../../artifacts/browser");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

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
  expect(found, "axe finds nothing").toEqual([]);
}

export async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(ARTIFACTS, `${name}.png`) });
}
