// Every way to end: hiding, quitting, signals, logout. The programs that the app started end with it, and no others.
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { App } from "../kit/app.mjs";
import { endOf, gone, succeeds } from "../kit/programs.mjs";
import { remoteServer } from "./remote_server.mjs";
import { keychain } from "./keychain.mjs";
import { check, equal, until } from "../kit/wait.mjs";

/** Windows keep their page for half a minute. */
const HIDDEN_PAGE_TIMEOUT_MS = 60_000;
/** What an app takes at most to end once none of its processes is left. */
const END_TIMEOUT_MS = 5_000;
/** A tray has ten seconds to come back. */
const NO_TRAY_TIMEOUT_MS = 20_000;

export async function shutdown(world) {
  const { app, driver, session, steps, tray, artifacts } = world;
  const log = path.join(artifacts, "logs", "launched.log");
  const launch = async () => {
    await session.panel.untilEmpty();
    const child = app.launch(session.env, log);
    await until("the agent is online", () => app.isOnline(), 40_000);
    await until("the tray is there", async () => (await tray.headline()).startsWith("Online"));
    return child;
  };
  const shown = async () => (await session.windowTitles()).includes("Postern");
  const answers = async () => (await app.curl(`${world.url}/after`)).out.includes("Hello");

  await steps.must("Quit in the tray ends everything that the app started", async () => {
    await tray.click("Quit Postern");
    await app.nothingIsLeft();
    await driver.close();
  });

  await keychain(world);

  await steps.must("the next start switches the tunnel on again, at the same address", async () => {
    world.child = await launch();
    await until("the address responds", answers);
  });

  await steps.must("closing the window leaves the tray, and the tray brings the window back", async () => {
    await until("the window is shown", shown);
    await session.closeWindow("Postern");
    await until("the window is hidden", async () => !(await shown()));
    check(await answers(), "the address no longer responds");
    await tray.click("Open Postern");
    await until("the window is shown again", shown);
  });

  await steps.must("a window that stays hidden gives up its page, and the tray brings it back", async () => {
    check(app.pages().length > 0, "no page is found while the window is shown");
    await session.closeWindow("Postern");
    await until("the page has ended", () => app.pages().length === 0, HIDDEN_PAGE_TIMEOUT_MS);
    check(await answers(), "the address no longer responds");
    await tray.click("Open Postern");
    await until("the window is shown again", shown);
    await until("it has a page", () => app.pages().length > 0);
  });

  await steps.must("SIGTERM: nothing is left, exit status 0", async () => {
    process.kill(world.child.pid, "SIGTERM");
    await app.nothingIsLeft();
    await succeeds(world.child, END_TIMEOUT_MS);
  });

  await steps.try("a port in use by another program is skipped", async () => {
    const other = net.createServer();
    await new Promise((resolve) => other.listen(app.ports.https, "127.0.0.1", resolve));
    world.child = await launch().finally(() => other.close());
    const { https } = app.json("server", "addresses.json");
    check(https !== `127.0.0.1:${app.ports.https}`, "the taken port was used");
    await until("the tray names the other address", async () => (await tray.headline()).endsWith(`:${https.split(":")[1]}`));
    const moved = await until("the tunnel is on", async () => (await app.tunnel("site")).public_url);
    check((await app.curl(`${moved}/elsewhere`)).out.includes("Hello"), "the page does not come through the other port");
  });

  await steps.must("SIGTERM ends that one too", async () => {
    process.kill(world.child.pid, "SIGTERM");
    await app.nothingIsLeft();
  });

  await steps.try("with a remote server only the agent is started, and its error is shown", async () => {
    const remote = await App.install(world.root, world.binaries, "remote");
    fs.mkdirSync(remote.file("agent"), { recursive: true });
    fs.writeFileSync(remote.file("agent", "postern.yml"), "version: 2\nserver_addr: tunnel.invalid:4443\nauthtoken: unknown\n");
    await session.panel.untilEmpty();
    world.child = remote.launch(session.env, log);
    await until("the tray shows the error", async () => /^Offline: .*tunnel\.invalid/.test(await tray.headline()), 30_000);
    await until("the tray counts down", async () => /next try in \d+ s$/.test(await tray.headline()));
    const programs = remote.processes().map(({ program }) => program);
    check(!programs.includes("postern-server") && programs.includes("postern"), `running: ${programs}`);
    await session.screenshotOnceDrawn(path.join(artifacts, "offline.png"));
  });

  await steps.must("that app ends too", async () => {
    process.kill(world.child.pid, "SIGTERM");
    await app.nothingIsLeft();
  });

  await remoteServer(world);

  await steps.must("SIGINT: nothing is left, exit status 0", async () => {
    const child = await launch();
    process.kill(child.pid, "SIGINT");
    await app.nothingIsLeft();
    await succeeds(child, END_TIMEOUT_MS);
  });

  await steps.must("without a tray a hidden window is shown again, and closing it quits", async () => {
    const child = await launch();
    await until("the window is shown", shown);
    await session.closeWindow("Postern");
    await until("the window is hidden", async () => !(await shown()));
    await session.panel.end();
    await until("the window is shown again", shown, NO_TRAY_TIMEOUT_MS);
    await session.closeWindow("Postern");
    await app.nothingIsLeft();
    await succeeds(child, END_TIMEOUT_MS);
    await session.panel.begin();
  });

  await steps.must("logout: the display ends and nothing is left", async () => {
    const child = await launch();
    const pid = session.display.pid;
    process.kill(pid, "SIGTERM");
    await gone(pid, 10_000);
    await app.nothingIsLeft();
    await endOf(child, END_TIMEOUT_MS);
  });
}
