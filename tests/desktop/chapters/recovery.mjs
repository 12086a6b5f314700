// Recovery without user action: server, agent and app are killed.
import path from "node:path";
import { gone, run } from "../kit/programs.mjs";
import { check, equal, until } from "../kit/wait.mjs";
import { picture, pictures } from "./publishing.mjs";

/** The specified recovery time. */
const SAME_ADDRESS_WITHIN_MS = 5_000;

export async function recovery(world) {
  const { app, driver, service, session, steps, tray } = world;
  const answers = async () => (await app.curl(`${world.url}/still-there`)).out.includes("Hello");

  await steps.must("kill -9 of the server: the same address responds within 5 s", async () => {
    const before = app.serverPid();
    process.kill(before, "SIGKILL");
    const killed = Date.now();
    await gone(before, 2_000);
    await until("the address responds", answers, SAME_ADDRESS_WITHIN_MS);
    check(Date.now() - killed < SAME_ADDRESS_WITHIN_MS, `it took ${Date.now() - killed} ms`);
    check(app.serverPid() !== before, "the server is the same process");
    equal((await app.tunnel("site")).public_url, world.url, "the address");
  });

  await steps.must("kill -9 of the agent: it restarts with its tunnel and its address", async () => {
    const before = app.agentPid();
    process.kill(before, "SIGKILL");
    await gone(before, 2_000);
    await until("the address responds", answers, 15_000);
    check(app.agentPid() !== before, "the agent is the same process");
    equal((await app.tunnel("site")).public_url, world.url, "the address");
    await until("the tray shows it on", async () => (await tray.item("site")).checked);
  });

  await steps.try("a failed tunnel is explained in the window and marked in the tray", async () => {
    await app.api("PUT", "/api/configured/blocked", { proto: "http", addr: service.port, domain: new URL(world.url).hostname });
    await until("the tray offers it", () => tray.item("blocked"));
    await tray.click("blocked");
    const item = await until("the tray marks it", () => tray.item("blocked (failed)"));
    check(!item.checked, "a tunnel that failed is not shown as on");
    await driver.switchTo("index.html");
    await until("the window says why", async () => /in use|taken|already/i.test(await driver.pageText()));
    await picture(world, "index.html", "Postern", "failed-tunnel");
    await app.api("DELETE", "/api/configured/blocked");
    await until("the tray forgets it", async () => !(await tray.items()).some(({ label }) => label.startsWith("blocked")));
    check(await tray.item("site"), "the other item stays");
  });

  await steps.try("an unknown tunnel is refused with a message", async () => {
    await driver.switchTo("index.html");
    const unknown = await driver.command("agent_request", { method: "POST", path: "/api/configured/nowhere/start", body: "{}" });
    equal(unknown.ok.status, 404, "an unknown tunnel");
    check(JSON.parse(unknown.ok.body).details.err.length > 0, "it says nothing");
  });

  await steps.try("pause all switches off, resume switches on again", async () => {
    await tray.click("Pause all tunnels");
    await until("the tunnel is off", async () => (await app.tunnel("site")).state === "stopped");
    await until("the first line says so", async () => (await tray.headline()).startsWith("Paused"));
    await tray.click("Resume tunnels");
    await until("the address responds", answers);
    equal((await app.tunnel("site")).public_url, world.url, "the address");
    await until("the first line says so", async () => (await tray.headline()).startsWith("Online"));
  });

  await steps.try("browsers can trust the local authority, and it can be undone", async () => {
    await driver.switchTo("index.html");
    const { ok, error } = await driver.command("trust_authority", { where: "browsers" });
    check(ok, error?.message);
    equal(ok.trusted.browsers, true, "trusted");
    const database = `sql:${path.join(session.env.HOME, ".pki/nssdb")}`;
    const listed = async () => (await run("certutil", ["-L", "-d", database], { env: session.env })).out;
    check((await listed()).includes("Postern local authority"), "certutil does not show it");
    const undone = await driver.command("untrust_authority");
    check(undone.ok, undone.error?.message);
    check(!(await listed()).includes("Postern"), "it was not removed");
    const { ok: state } = await driver.command("desktop_state");
    equal([state.authority.trusted.browsers, state.authority.offered], [false, true], "the state");
  });

  if (process.env.POSTERN_TEST_SYSTEM_TRUST === "1") {
    await steps.try("the system can trust it, curl then needs no certificate, and it can be undone", async () => {
      const plain = () => run("curl", ["-sS", "--max-time", "10", `${world.url}/trusted`], { env: { PATH: process.env.PATH } });
      check((await plain()).code !== 0, "curl trusted it before");
      const { ok, error } = await driver.command("trust_authority", { where: "system" });
      equal(ok?.trusted.system, true, error?.message ?? "trusted");
      check((await plain()).out.includes("Hello"), "curl does not trust it");
      const undone = await driver.command("untrust_authority");
      equal(undone.ok?.trusted.system, false, undone.error?.message ?? "trusted after undoing");
      check((await plain()).code !== 0, "curl still trusts it");
    });
  }

  await steps.must("kill -9 of the app: the tunnel still responds", async () => {
    world.before = { server: app.serverPid(), agent: app.agentPid() };
    const appPid = await session.busNameOwner("dev.postern.desktop.SingleInstance");
    process.kill(appPid, "SIGKILL");
    await gone(appPid, 5_000);
    check(await answers(), "the address does not respond");
    await driver.close();
  });

  await steps.must("the next start adopts the running programs, on a dark desktop", async () => {
    await session.panel.untilEmpty();
    await driver.reopen({ GTK_THEME: "Adwaita:dark" }, app.binary);
    const state = await until("both programs run", async () => {
      const { ok } = await driver.command("desktop_state");
      return ok.server.state === "running" && ok.agent.state === "running" && ok;
    });
    equal({ server: state.server.pid, agent: state.agent.pid }, world.before, "the processes");
    equal(state.agent.adopted, true, "adopted");
    await until("the tray shows the tunnel on", async () => (await tray.item("site")).checked);
    check(await answers(), "the address does not respond");
  });

  await steps.try("screenshots of both windows, dark", async () => {
    await tray.click("Open inspector");
    await driver.switchTo("inspector.html");
    await driver.click("//*[@role='grid']//*[@role='row'][contains(., '/still-there')]");
    await pictures(world, "dark");
  });
}
