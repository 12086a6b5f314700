// A GraphQL request in the inspector: its operation, document and variables.
import { expect, expectAccessible, picture, testWithFakeAgent as test } from "../kit/fixtures";

test.use({ contextOptions: { reducedMotion: "reduce" }, viewport: { width: 1440, height: 900 } });

const QUERY =
  "query Order($id: ID!, $first: Int = 10) { order(id: $id) { ...Main lines(first: $first) { sku price } } } fragment Main on Order { id note }";

for (const colorScheme of ["light", "dark"] as const)
  test(`is shown as its operation, document and variables (${colorScheme})`, async ({ page, agent }) => {
    await page.emulateMedia({ colorScheme });
    agent.tunnel({ name: "shop", state: "running", public_url: "https://amber-fox-1234.localhost:4443" });
    agent.captures({
      method: "POST",
      path: "/graphql",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ operationName: "Order", query: QUERY, variables: { id: "1042" } }),
      answerHeaders: { "Content-Type": "application/json" },
      answer: '{"data":{"order":{"id":"1042"}}}',
    });
    await page.goto("/");
    await page.getByRole("row", { name: "/graphql" }).click();
    await page.getByRole("tab", { name: "Request" }).click();
    const text = page.getByRole("region", { name: "request body" });
    await expect(text).toContainText("# Operation: Order");
    await expect(text).toContainText("lines(first: $first) {");
    await expect(text).toContainText("# Variables");
    await expect(text).toContainText('"id": "1042"');
    await expectAccessible(page);
    await picture(page, `body-graphql-${colorScheme}`);
    await page.keyboard.press("Control+f");
    await page.keyboard.type("fragment");
    await expect(page.getByText("1 of 1")).toBeVisible();
    await page.getByRole("button", { name: "Tree", exact: true }).click();
    await expect(page.getByRole("treeitem", { name: '"operationName": "Order"' })).toBeVisible();
    await page.getByRole("tab", { name: "Response" }).click();
    await expect(page.getByRole("button", { name: "GraphQL", exact: true })).toHaveCount(0);
  });
