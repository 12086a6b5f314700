// The page of agents: those that are connected and those that are away, with what each told of itself.
import { execFileSync } from "node:child_process";
import { expect, expectAccessible, picture, testWithWorld } from "../kit/fixtures";

const HOST = execFileSync("uname", ["-n"], { encoding: "utf8" }).trim();
const ACCOUNT = execFileSync("id", ["-un"], { encoding: "utf8" }).trim();

const test = testWithWorld();

test("an agent is listed by its host, with its tunnels, and stays in the list when it is gone", async ({
  page,
  world,
  openConsole,
}) => {
  // Where the clock of this computer is behind that of the server, what has just happened is not shown as ahead.
  await page.addInitScript(() => {
    const now = Date.now;
    Date.now = () => now() - 20_000;
  });
  const url = await world.publish("shop");
  await openConsole("/agents");
  const row = page.getByRole("row", { name: HOST });
  await expect(row).toContainText("Online");
  await expect(row.getByRole("cell", { name: ACCOUNT, exact: true })).toBeVisible();
  await expectAccessible(page);
  await picture(page, "agents");
  await row.getByRole("link", { name: HOST }).click();
  await expect(page.getByRole("heading", { level: 1, name: HOST })).toBeVisible();
  await expect(page.getByRole("link", { name: url })).toBeVisible();
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expectAccessible(page);
  await picture(page, "agent");

  await page.getByRole("button", { name: "Forget" }).click();
  await expect(page.getByRole("dialog")).toContainText("refuses to forget it");
  await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
  await expect(page.getByRole("alert")).toContainText("connected");
  await page.getByRole("button", { name: "Cancel" }).click();

  await world.endAgent();
  await expect(page.getByText(/^Last seen/)).toBeVisible({ timeout: 15_000 });
  await expect(page.getByText("It is not connected.")).toBeVisible();
  await page.getByRole("link", { name: "Agents", exact: true }).first().click();
  await expect(row).toContainText("Last seen just now");
  await picture(page, "agents-away");
  await row.getByRole("link", { name: HOST }).click();
  await page.getByRole("button", { name: "Forget" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
  await expect(page.getByText("No agent has connected yet.")).toBeVisible();
});
