// A remote server is selected in the settings: the app verifies it first, then restarts with it.
import fs from "node:fs";
import path from "node:path";
import { App } from "../kit/app.mjs";
import { check, equal, until } from "../kit/wait.mjs";

export async function remoteServer(world) {
  const { driver, programs, root, session, steps, tray } = world;
  const here = await App.install(root, world.binaries, "here");
  const data = path.join(root, "elsewhere");
  let server;
  let where;

  await steps.must("a remote server is running, and an app with a local server", async () => {
    const words = ["run", "--data-dir", data, ...["https", "http", "api"].flatMap((name) => [`--${name}-addr`, "127.0.0.1:0"])];
    // In a separate environment, so that the app does not take it for one of its programs.
    server = programs.start("elsewhere", path.join(world.binaries, "postern-server"), words, { env: { PATH: process.env.PATH, HOME: data } });
    where = await until("the server listens", () => JSON.parse(fs.readFileSync(path.join(data, "addresses.json"), "utf8")), 30_000);
    await session.panel.untilEmpty();
    await driver.reopen(here.env, here.binary);
    await until("the agent is online", () => here.isOnline(), 40_000);
  });

  const port = () => where.https.split(":").at(-1);
  const read = (name) => fs.readFileSync(path.join(data, name), "utf8");
  const wish = () => ({
    address: `localhost:${port()}`,
    api: `http://${where.api}`,
    key: read("admin.key").trim(),
    authority: read("ca.pem"),
  });

  await steps.try("invalid settings are refused, and nothing is changed", async () => {
    const before = fs.readFileSync(here.file("agent", "postern.yml"), "utf8");
    for (const [name, value] of [["key", "no such key"], ["api", "http://api.example.com"], ["address", "no port"], ["authority", "no certificate"]]) {
      const { error } = await driver.command("use_remote_server", { ...wish(), [name]: value });
      check(error?.code?.startsWith("ERR_POSTERN_"), `${name} was not refused`);
      check(!JSON.stringify(error).includes(wish().key), "the refusal contains the key");
    }
    equal(fs.readFileSync(here.file("agent", "postern.yml"), "utf8"), before, "the agent's configuration");
  });

  await steps.must("the app restarts with the remote server", async () => {
    const { error } = await driver.command("use_remote_server", wish()).catch(() => ({}));
    check(error === undefined, error?.message);
    await until("the agent is online there", async () => {
      const { session } = await here.api("GET", "/api/status");
      return session.state === "online" && session.server_addr === `localhost:${port()}`;
    }, 60_000);
    await until("the tray says so", async () => (await tray.headline()) === `Online · localhost:${port()}`);
    const own = here.processes().map(({ program }) => program);
    check(!own.includes("postern-server") && own.includes("postern"), `running: ${own}`);
    const kept = fs.readFileSync(here.file("agent", "postern.yml"), "utf8") + fs.readFileSync(here.file("desktop", "settings.json"), "utf8");
    check(!kept.includes(wish().key), "a file contains the key in plain text");
  });

  await steps.must("quitting does not end the remote server", async () => {
    await driver.close();
    await tray.click("Quit Postern");
    await here.nothingIsLeft();
    equal((await fetch(`http://${where.api}/healthz`)).status, 200, "its health");
    await programs.end(server);
  });
}
