// The desktop app as a user runs it: the real program on a virtual screen, its tray over the session bus.
//
//   tests/desktop/run    builds packages, installs one, and drives the installed programs
//
// POSTERN_BIN_DIR  the folder of postern-desktop, postern-server and postern (target/debug)
// POSTERN_TEST_SYSTEM_TRUST=1  also changes this machine's certificate store and undoes it; needs root
// POSTERN_ARTIFACTS  the folder for screenshots and logs (artifacts/desktop)
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { firstStart } from "./chapters/first_start.mjs";
import { guidedStart } from "./chapters/guided_start.mjs";
import { shutdown } from "./chapters/shutdown.mjs";
import { integration } from "./chapters/integration.mjs";
import { recovery } from "./chapters/recovery.mjs";
import { publishing } from "./chapters/publishing.mjs";
import { App, origin } from "./kit/app.mjs";
import { Programs } from "./kit/programs.mjs";
import { Session } from "./kit/session.mjs";
import { Steps } from "./kit/steps.mjs";
import { Tray } from "./kit/tray.mjs";
import { Driver } from "./kit/webdriver.mjs";

const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const binaries = path.resolve(top, process.env.POSTERN_BIN_DIR ?? path.join(process.env.CARGO_TARGET_DIR ?? "target", "debug"));
const artifacts = path.resolve(top, process.env.POSTERN_ARTIFACTS ?? "artifacts/desktop");
const WHOLE_RUN_MS = 8 * 60_000;

fs.mkdirSync(artifacts, { recursive: true });
const root = fs.mkdtempSync(path.join(os.tmpdir(), "postern-desktop-"));
const programs = new Programs(path.join(artifacts, "logs"));
const session = new Session(programs, root);
const steps = new Steps();
const app = await App.install(root, binaries);
const service = await origin();
const world = { app, programs, root, binaries, session, service, steps, tray: new Tray(session), artifacts, driver: null };

const overdue = setTimeout(() => {
  console.log(`FAIL  the whole run took longer than ${WHOLE_RUN_MS / 60_000} minutes`);
  void end(1);
}, WHOLE_RUN_MS);

let code = 0;
try {
  await steps.must("a desktop with a tray is running", () => session.begin());
  world.driver = await Driver.begin(programs, { ...session.env, ...app.env });
  await firstStart(world);
  await guidedStart(world);
  await publishing(world);
  await integration(world);
  await recovery(world);
  await shutdown(world);
} catch (error) {
  if (!error.message.startsWith("stopped after")) console.log(`FAIL  ${error.stack}`);
  await session.screenshot(path.join(artifacts, "at-failure.png")).catch(() => {});
  code = 1;
}
await end(code || (steps.failed > 0 ? 1 : 0));

async function end(status) {
  clearTimeout(overdue);
  await world.driver?.close();
  service.close();
  const logs = app.file("desktop", "logs");
  if (fs.existsSync(logs)) fs.cpSync(logs, path.join(artifacts, "logs", "app"), { recursive: true });
  app.endLeftovers();
  await programs.endAll();
  fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  console.log(steps.summary());
  process.exit(status);
}
