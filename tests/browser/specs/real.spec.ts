// The pages against real programs: what a person would do by hand on the first day.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectAccessible, launch, open, picture } from "../kit/browser";
import { eventually, externalAgent, World } from "../kit/world";

let browser: Browser;
let world: World;
let page: Page;
let wrong: string[];

beforeAll(async () => {
  browser = await launch();
  world = await World.start();
});
afterAll(async () => {
  await world?.stop();
  await browser?.close();
});
beforeEach(() => {
  world.site.heard = [];
});
afterEach(async () => {
  await page?.context().close();
  expect(wrong, "no violation of the agent's policy, no error in the page").toEqual([]);
});

async function show(path: string): Promise<void> {
  ({ page, wrong } = await open(browser, `${world.url}${path}`));
  await page.getByText("Online").waitFor();
}

const card = (name: string) => page.getByRole("article", { name: `Tunnel ${name}`, exact: true });

describe.skipIf(externalAgent !== null)("on a fresh machine", () => {
  it("publishes a site, shows the visit, replays it, and gives a curl command that works", async () => {
    await show("/index.html");
    await page.getByLabel("Local port or address").fill(String(world.site.port));
    await page.getByRole("button", { name: "Publish" }).click();
    await card("web").getByText("Running").waitFor();
    await card("web").getByRole("button", { name: "Copy the address of web" }).click();
    const url = await eventually("the copied address", async () => {
      const text = await page.evaluate(() => navigator.clipboard.readText());
      return text.startsWith("https://") ? text : undefined;
    });
    expect(readFileSync(world.configuration, "utf8")).toMatch(
      /# a comment that stays[\s\S]*web:[\s\S]*addr:/,
    );

    expect(await world.visit(`${url}/hello?a=1`)).toMatchObject({
      status: 200,
      body: "hello from the site\n",
    });
    await page.getByRole("row", { name: "/hello?a=1" }).click();
    await page.getByRole("tab", { name: "Response" }).click();
    await page.getByText("hello from the site").waitFor();
    await page.getByRole("tab", { name: "Headers" }).click();
    await page.getByText("sid=••••••••; Path=/").waitFor();

    await page.keyboard.press("r");
    await page
      .getByRole("heading", { name: "Replays" })
      .locator("..")
      .getByRole("button", { name: "200 OK" })
      .waitFor();
    expect(world.site.heard).toEqual(["GET /hello?a=1", "GET /hello?a=1"]);

    await page.keyboard.press("c");
    const command = await eventually("the copied command", async () => {
      const text = await page.evaluate(() => navigator.clipboard.readText());
      return text.startsWith("curl") ? text : undefined;
    });
    const { stdout } = await promisify(execFile)("sh", ["-c", command], {
      env: { ...process.env, CURL_CA_BUNDLE: world.authority },
    });
    expect(stdout).toBe("hello from the site\n");
    expect(world.site.heard.length).toBe(3);
    await expectAccessible(page);
    await picture(page, "real-main");
  });

  it("says that the server is gone, counts down, and has the same address when it is back", async () => {
    await show("/index.html");
    const url = (await card("web").getByText("https://").textContent()) ?? "";
    await world.killServer();
    await page.getByText("Not connected to").waitFor();
    await expect
      .poll(() => page.getByRole("timer").textContent(), { timeout: 15_000 })
      .toMatch(/Next attempt in \d+ s|Trying now/);
    await card("web").getByText("Waiting").waitFor();
    await page
      .getByText(/ERR_POSTERN_\d+/)
      .first()
      .waitFor();
    await picture(page, "real-offline");
    await world.startServer();
    await page.getByText("Online").waitFor({ timeout: 45_000 });
    await card("web").getByText("Running").waitFor();
    expect(await card("web").getByText("https://").textContent()).toBe(url);
    expect((await world.visit(`${url}/again`)).status).toBe(200);
    await page.getByRole("row", { name: "/again" }).waitFor();
  });

  it("edits, stops and removes a tunnel", async () => {
    await show("/index.html");
    await page.getByRole("button", { name: "More about web" }).click();
    await page.getByRole("menuitem", { name: "Edit…" }).click();
    await page.getByLabel("Public name").fill("tea-shop");
    await page.getByRole("button", { name: "Save" }).click();
    await card("web").getByText("https://tea-shop.localhost").waitFor();
    await page.getByRole("switch", { name: "web on or off" }).click();
    await card("web").getByText("Stopped").waitFor();
    await page.getByRole("button", { name: "More about web" }).click();
    await page.getByRole("menuitem", { name: "Remove…" }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await card("web").waitFor({ state: "detached" });
    await expect.poll(() => readFileSync(world.configuration, "utf8")).not.toContain("tea-shop");
    expect(readFileSync(world.configuration, "utf8")).toContain("# a comment that stays");
  });

  it("says why a name cannot be had", async () => {
    await world.api("POST", "/api/tunnels", {
      name: "holder",
      proto: "http",
      addr: world.site.port,
      domain: "taken",
    });
    await show("/index.html");
    await page.getByRole("button", { name: "Add tunnel" }).click();
    await page.getByLabel("Local port or address").fill(String(world.site.port));
    await page.getByLabel("Name of the tunnel").fill("second");
    await page.getByLabel("Public name").fill("taken");
    await page.getByRole("button", { name: "Add and start" }).click();
    await card("second").getByText("Failed").waitFor();
    await card("second").getByText("ERR_POSTERN_334").waitFor();
    await card("second").getByText("taken.localhost").waitFor();
    await card("second").getByText("choose another name").waitFor();
    await picture(page, "real-taken");
    await world.api("DELETE", "/api/tunnels/holder");
  });
});

describe.skipIf(externalAgent !== null)("with a configuration file that was spoilt", () => {
  it("says what is wrong and where, and goes on as before", async () => {
    await show("/index.html");
    const good = readFileSync(world.configuration, "utf8");
    writeFileSync(world.configuration, `${good}\nunknown_key: 1\n`);
    await page.getByText("The configuration file has errors").waitFor();
    await page.getByText("unknown_key").waitFor();
    await expectAccessible(page);
    await picture(page, "real-mistakes");
    writeFileSync(world.configuration, good);
    await page.getByText("The configuration file has errors").waitFor({ state: "detached" });
  });
});

it("shows decoded, chunked and cut bodies as they are", async () => {
  const url = await world.publish("bodies");
  await world.visit(`${url}/packed`);
  await world.visit(`${url}/large`);
  await show("/");
  await page.getByRole("row", { name: "/packed" }).click();
  await page.getByRole("tab", { name: "Response" }).click();
  await page.getByText("12345678901234567890").waitFor();
  await page.getByText("Decoded from gzip.").waitFor();
  await page.getByRole("row", { name: "/large" }).click();
  await page.getByText("Incomplete: only the beginning of this body was captured.").waitFor();
  await expectAccessible(page);
  await picture(page, "real-inspector");
  await world.api("DELETE", "/api/tunnels/bodies");
});

it("clears the list for every window at once", async () => {
  const url = await world.publish("cleared");
  await world.visit(`${url}/y`);
  await show("/?tunnel=cleared");
  await page.getByRole("row", { name: "/y" }).waitFor();
  await world.api("DELETE", "/api/requests/http");
  await page.getByRole("row", { name: "/y" }).waitFor({ state: "detached" });
  await world.api("DELETE", "/api/tunnels/cleared");
});
