// Desktop integration: links, start at login, notifications, memory.
import fs from "node:fs";
import path from "node:path";
import { memoryOf } from "../kit/memory.mjs";
import { Notes } from "../kit/notifications.mjs";
import { processesWith, succeeds } from "../kit/programs.mjs";
import { check, equal, pause, until } from "../kit/wait.mjs";
import { picture } from "./publishing.mjs";

/** The time within which an unwanted notification would appear. */
const NOTIFICATION_TIMEOUT_MS = 1_500;

export async function integration(world) {
  const { app, driver, service, session, steps, tray, artifacts } = world;
  const log = path.join(artifacts, "logs", "second.log");
  const follows = async (...words) => {
    await succeeds(app.launch(session.env, log, words));
  };
  const shown = async (title) => (await session.windowTitles()).includes(title);

  await steps.try("a link to a tunnel opens its requests", async () => {
    await follows("postern://tunnel/site");
    await until("the inspector is shown", () => shown("Postern inspector"));
    await driver.switchTo("inspector.html");
    await until("it shows this tunnel", async () => {
      const inputs = await driver.script("return [...document.querySelectorAll('input')].map((input) => input.value).join(' ')");
      return /tunnel:"?site/.test(inputs);
    });
  });

  await steps.try("a link to a page of the console opens it in the main window", async () => {
    await follows("postern://console/ip_policies");
    await driver.switchTo("index.html");
    await until("the page is open", async () => (await driver.script("return location.hash")) === "#/ip_policies");
    await picture(world, "index.html", "Postern", "console");
    await tray.click("Open console");
    await until("the tray opens the console too", async () => (await driver.script("return location.hash")) !== "#/ip_policies");
    await driver.script("location.hash = '#/agent'");
  });

  await steps.try("invalid links run nothing and open no page", async () => {
    const before = await driver.script("return location.hash");
    const programs = app.processes().length;
    const marker = path.join(session.root, "run-by-a-link");
    for (const link of [
      "postern://run/sh",
      `postern://tunnel/$(touch ${marker})`,
      "postern://console/../../etc/passwd",
      "postern://tunnel/..%2f..%2fquit",
      "postern://console/ip_policies?x=javascript:alert(1)",
      "postern:javascript:alert(1)",
      `postern://x/${"y".repeat(3000)}`,
    ]) {
      await follows(link);
    }
    equal(await driver.script("return location.hash"), before, "where the window is");
    check(!fs.existsSync(marker), "a link was run");
    equal(app.processes().length, programs, "processes");
  });

  await steps.try("autostart is a file that starts the app hidden, and can be switched off", async () => {
    const folder = path.join(session.env.XDG_CONFIG_HOME, "autostart");
    const files = () => (fs.existsSync(folder) ? fs.readdirSync(folder) : []);
    equal((await driver.command("preferences")).ok.autostart, false, "at first");
    const on = await driver.command("set_autostart", { on: true });
    check(on.error === undefined, on.error?.message);
    equal(files().length, 1, "files");
    const text = fs.readFileSync(path.join(folder, files()[0]), "utf8");
    check(/^Exec=.*postern-desktop.* --hidden$/m.test(text), text);
    equal((await driver.command("preferences")).ok.autostart, true, "switched on");
    await driver.command("set_autostart", { on: false });
    equal(files(), [], "files after switching it off");
  });

  await steps.try("settings are shown by topic", async () => {
    await driver.switchTo("index.html");
    await driver.script("location.hash = '#/settings'");
    for (const topic of ["Server", "Configuration", "Startup and notifications", "Data and logs", "Diagnosis"]) {
      await driver.click(`//*[@role='tab'][normalize-space(.)='${topic}']`);
      if (topic === "Diagnosis") {
        await driver.click("//button[normalize-space(.)='Run the diagnosis']");
        await driver.find("//table[@aria-label='Results']//td");
      }
      if (topic === "Configuration") await driver.find("//textarea[@aria-label='Agent configuration']");
      await picture(world, "index.html", "Postern", `settings-${topic.toLowerCase().replaceAll(" ", "-")}`);
    }
    const page = await driver.script("return document.documentElement.outerHTML + [...document.querySelectorAll('textarea')].map((area) => area.value)");
    const token = /authtoken: "?([^"\n]+)/.exec(fs.readFileSync(app.file("agent", "postern.yml"), "utf8"))[1];
    check(!page.includes(token), "the token reached the window");
    await driver.script("location.hash = '#/agent'");
  });

  let notes;
  await steps.try("no notification appears while a window is visible", async () => {
    notes = await Notes.begin(session);
    await session.closeWindow("Postern inspector");
    await fails("seen");
    await pause(NOTIFICATION_TIMEOUT_MS);
    equal(notes.shown, [], "notes");
  });

  await steps.try("a failed tunnel is notified while no window is visible, and a click opens the window", async () => {
    await session.closeWindow("Postern");
    await until("the window is hidden", async () => !(await shown("Postern")));
    await fails("unseen");
    const note = await notes.saying(/^The tunnel unseen failed$/);
    check(/in use|taken|already/i.test(note.text), `it says ${note.text}`);
    await notes.click(note);
    await until("the window is shown", () => shown("Postern"));
    for (const name of ["seen", "unseen"]) await app.api("DELETE", `/api/configured/${name}`);
    await until("the outdated notification is withdrawn", () => notes.withdrawn.includes(note.id));
  });

  await steps.try("an error response to a visitor is notified if switched on", async () => {
    await driver.switchTo("index.html");
    await driver.command("set_notifications", { wanted: { connection: true, tunnels: true, errors: true, certificates: true } });
    await session.closeWindow("Postern");
    service.status = 503;
    await app.curl(`${world.url}/broken?card=1`);
    service.status = 200;
    const note = await notes.saying(/^A visitor received a 503 response$/);
    equal(note.text, "GET /broken through site.", "what it says");
    await notes.click(note);
    await until("the window is shown", () => shown("Postern"));
  });

  await steps.try("a kind can be switched off", async () => {
    await driver.switchTo("index.html");
    const wanted = { connection: true, tunnels: false, errors: false, certificates: true };
    check((await driver.command("set_notifications", { wanted })).error === undefined, "it was refused");
    const sorted = (choice) => Object.entries(choice).sort();
    equal(sorted((await driver.command("preferences")).ok.notifications), sorted(wanted), "the choice");
    equal(sorted(app.json("desktop", "settings.json").notifications), sorted(wanted), "the choice in the file");
    notes.end();
  });

  await steps.try("the memory of the app is printed", async () => {
    const { total, line } = memoryOf(session);
    console.log(`      memory: ${line}`);
    check(total > 0, "nothing was measured");
  });

  await steps.try("the app's process has no graphics driver, and one process of each kind shows the pages", async () => {
    const programs = processesWith(`HOME=${session.env.HOME}`);
    const pages = programs.map(({ program }) => program).filter((program) => /^WebKit.*Process$/.test(program));
    equal(pages.sort(), ["WebKitNetworkProcess", "WebKitWebProcess"], "the processes");
    const { pid } = programs.find(({ program }) => program === "postern-desktop");
    const mapped = fs.readFileSync(`/proc/${pid}/maps`, "utf8");
    check(mapped.includes("libwebkit2gtk"), "its libraries cannot be seen");
    check(!/_dri\.so|libLLVM/.test(mapped), "it has loaded a graphics driver");
  });

  async function fails(name) {
    const domain = new URL(world.url).hostname;
    await app.api("PUT", `/api/configured/${name}`, { proto: "http", addr: service.port, domain });
    await app.api("POST", `/api/configured/${name}/start`, {});
    await until("it has failed", async () => (await app.tunnel(name)).state === "failed");
  }
}
