// The first start needs no input, and no window receives a secret.
import fs from "node:fs";
import path from "node:path";
import { succeeds } from "../kit/programs.mjs";
import { check, equal, until } from "../kit/wait.mjs";

export async function firstStart({ app, driver, session, steps, tray, artifacts }) {
  await steps.must("the app starts and shows its window", async () => {
    await driver.open(app.binary);
    await until("the window is on the screen", async () => (await session.windowTitles()).includes("Postern"));
  });

  await steps.try("the time of the first paint is printed", async () => {
    const painted = await until("the page was painted", () =>
      driver.script("const [paint] = performance.getEntriesByName('first-contentful-paint'); return paint && performance.timeOrigin + paint.startTime;"));
    const pid = await session.busNameOwner("dev.postern.desktop.SingleInstance");
    console.log(`      first paint: ${Math.round(painted - startOf(pid))} ms after the start of the process`);
  });

  await steps.must("server and agent start and connect without input", async () => {
    await until("the agent is online", () => app.isOnline(), 40_000);
    await until("the tray says so", async () => (await tray.headline()) === `Online · localhost:${app.ports.https}`);
  });

  await steps.try("the window says that it is online", () =>
    until("the page says online", async () => {
      const text = await driver.pageText();
      if (!/online/i.test(text)) throw new Error(`it says ${JSON.stringify(text.slice(0, 200))}`);
      return true;
    }),
  );

  await steps.try("files with keys are readable only by their owner", () => {
    equal(app.mode("server", "admin.key"), "600", "mode of admin.key");
    equal(app.mode("agent", "postern.yml"), "600", "mode of the agent's configuration");
    equal(app.mode("desktop", "api-key.sealed"), "600", "mode of the sealed key");
    equal(app.mode("server"), "700", "mode of the server's folder");
    const key = fs.readFileSync(app.file("server", "admin.key"), "utf8").trim();
    const sealed = fs.readFileSync(app.file("desktop", "api-key.sealed"));
    check(!sealed.includes(key), "the encrypted file contains the key in plain text");
  });

  await steps.try("the window receives the location of the key, never the key", async () => {
    const { ok: state } = await driver.command("desktop_state");
    equal([state.server.state, state.agent.state, state.agent.adopted], ["running", "running", false], "state");
    equal(state.keychain.kind, "file", "without a Secret Service");
    check(state.keychain.note.includes("No keychain"), "the state explains that there is no keychain");
    const configuration = fs.readFileSync(app.file("agent", "postern.yml"), "utf8");
    const token = /authtoken: "?([^"\n]+)/.exec(configuration)[1];
    const key = fs.readFileSync(app.file("server", "admin.key"), "utf8").trim();
    const page = JSON.stringify(state) + (await driver.script("return document.documentElement.outerHTML"));
    check(!page.includes(key) && !page.includes(token), "a secret reached the window");
  });

  await steps.try("the window can request the agent's API and nothing else", async () => {
    const status = await driver.command("agent_request", { method: "GET", path: "/api/status", body: null });
    equal(status.ok?.status, 200, "GET /api/status");
    for (const [method, where] of [
      ["GET", "/"],
      ["GET", "/api/../inspector.html"],
      ["GET", "http://127.0.0.1:1/api/"],
      ["GET", "//127.0.0.1:1/api/"],
      ["CONNECT", "/api/status"],
    ]) {
      const answer = await driver.command("agent_request", { method, path: where, body: null });
      check(answer.error?.code?.startsWith("ERR_POSTERN_"), `${method} ${where} was not refused`);
    }
    for (const command of ["plugin:window|close", "plugin:event|emit", "plugin:opener|open_path", "plugin:path|resolve"]) {
      const answer = await driver.command(command, {});
      check(answer.error !== undefined, `${command} was not refused`);
    }
    const external = await driver.command("open_external", { url: "file:///etc/passwd" });
    check(external.error?.message.includes("http"), "a file was opened from the window");
  });

  await steps.try("a second start hands over to the first and ends", async () => {
    const log = path.join(artifacts, "logs", "second.log");
    await succeeds(app.launch(session.env, log));
    // Before it opens the display: threads that listen to it would run into libraries that are being unloaded.
    await succeeds(app.launch({ ...session.env, DISPLAY: ":none" }, log));
    equal(app.processes().filter(({ program }) => program === "postern-desktop").length, 1, "processes of the app");
  });
}

/** The start time of a process, in milliseconds since the epoch. */
function startOf(pid) {
  const uptime = Number(fs.readFileSync("/proc/uptime", "utf8").split(" ")[0]);
  const ticks = Number(fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")[19]);
  const TICKS_A_SECOND = 100;
  return Date.now() - (uptime - ticks / TICKS_A_SECOND) * 1000;
}
