// Publishing: a tunnel is switched on from the tray, a visitor sends a request, it is captured and replayed.
import path from "node:path";
import { check, equal, until } from "../kit/wait.mjs";

const row = "//*[@role='grid']//*[@role='row'][.//*[@role='gridcell']]";
const button = (label) => `//button[normalize-space(.)='${label}' or @aria-label='${label}']`;
const dialog = "//*[@role='dialog']";
// A field or a checkbox: the latter is a button.
const control = (label) => `${dialog}//*[@id=${dialog}//label[normalize-space(.)='${label}']/@for]`;

export async function publishing(world) {
  const { app, driver, service, session, steps, tray } = world;

  await steps.must("a tunnel is added in the window", async () => {
    // The list above the button must be complete before the click.
    await driver.find(`//button[@aria-pressed][contains(., '${service.port}')]`);
    await driver.click(button("Add a TCP tunnel or choose a name"));
    await driver.type(control("Local port or address"), String(service.port));
    await driver.type(control("Name of the tunnel"), "site");
    await driver.click(control("Start it now"));
    await driver.click(`${dialog}${button("Add")}`);
    await until("the agent has it", async () => (await app.tunnel("site"))?.state === "stopped");
  });

  await steps.must("the tray has a check item for it, not checked", async () => {
    const item = await until("the tray shows the tunnel", () => tray.item("site"));
    equal([item.isCheck, item.checked, item.enabled], [true, false, true], "the item");
  });

  await steps.must("a click in the tray switches it on", async () => {
    await tray.click("site");
    world.url = await until("it has a public address", async () => (await app.tunnel("site")).public_url);
    check(world.url.startsWith("https://") && world.url.endsWith(`.localhost:${app.ports.https}`), world.url);
    await until("the item is checked", async () => (await tray.item("site")).checked);
    await until("the address can be copied", () => tray.item(`site: ${world.url}`));
  });

  await steps.must("curl gets the page through the public address", async () => {
    const { code, out, err } = await app.curl(`${world.url}/hello?from=curl`);
    equal(code, 0, `curl (${err.trim()})`);
    check(out.includes("Hello from the local service"), "another page came");
    equal(service.heard.map(({ url }) => url), ["/hello?from=curl"], "requests to the origin");
  });

  await steps.try("the address can be copied from the tray", async () => {
    await driver.switchTo("index.html");
    await tray.click(`site: ${world.url}`);
    await until("the clipboard holds it", async () => (await clipboard(driver, session)).includes(world.url));
  });

  await steps.must("the inspector opens from the tray in a window of its own", async () => {
    await tray.click("Open inspector");
    await until("two windows are shown", async () => (await session.windowTitles()).length === 2);
    await driver.switchTo("inspector.html");
  });

  await steps.must("the request is in the inspector", async () => {
    await driver.find(`${row}[contains(., '/hello')]`);
    await driver.click(`${row}[contains(., '/hello')]`);
    await driver.find("//*[@aria-label='Request details']");
  });

  await steps.must("a replay from the window reaches the origin again", async () => {
    await driver.click(button("Replay"));
    await until("the origin receives it again", () => service.heard.length === 2);
    equal(service.heard[1], service.heard[0], "the replayed request");
    await until("both are in the list", async () => (await driver.all(`${row}[contains(., '/hello')]`)).length === 2);
  });

  await steps.must("curl on the agent's local API shows both", async () => {
    const { requests } = await app.api("GET", "/api/requests/http");
    equal(requests.map(({ uri }) => typeof uri), ["string", "string"], "captured requests");
    const raw = Buffer.from(requests.at(-1).request.raw, "base64").toString();
    check(raw.startsWith("GET /hello?from=curl HTTP/"), raw);
  });

  await steps.try("the inspector cannot call commands of the main window", async () => {
    for (const command of ["quit", "trust_authority", "restart_part", "reveal_logs"]) {
      const answer = await driver.command(command, { where: "browsers", part: "agent" });
      check(answer.error !== undefined, `${command} was allowed in the inspector`);
    }
  });

  await steps.try("screenshots of both windows, light", () => pictures(world, "light"));
}

export async function pictures(world, theme) {
  await picture(world, "index.html", "Postern", `main-${theme}`);
  await picture(world, "inspector.html", "Postern inspector", `inspector-${theme}`);
}

/** Brings a window to the front in a known size, waits for its page, and takes a screenshot. */
export async function picture({ driver, session, artifacts }, page, title, name) {
  const [width, height] = [1240, 780];
  await session.arrange(title, [40, 60, width, height]);
  await driver.switchTo(page);
  await until("the page has the window's size", () => driver.script("return innerWidth === arguments[0]", width));
  await driver.twoFrames();
  await session.settle();
  await session.screenshot(path.join(artifacts, `${name}.png`));
}

/** The content of the clipboard, read by pasting it into a field of the page. */
async function clipboard(driver, session) {
  await driver.script(`
    let field = document.getElementById("pasted-by-the-test");
    if (!field) {
      field = document.createElement("textarea");
      field.id = "pasted-by-the-test";
      document.body.append(field);
    }
    field.value = "";
    field.focus();`);
  await session.pasteInto("Postern");
  const text = await until("something is pasted", () =>
    driver.script(`return document.getElementById("pasted-by-the-test").value`), 3_000);
  await driver.script(`document.getElementById("pasted-by-the-test").remove()`);
  return text;
}
