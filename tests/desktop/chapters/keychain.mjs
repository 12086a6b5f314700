// With a keychain in the session: the key moves from its file to the keychain, and the app starts hidden.
import fs from "node:fs";
import path from "node:path";
import { run, succeeds } from "../kit/programs.mjs";
import { check, equal, until } from "../kit/wait.mjs";

const SECRETS = "org.freedesktop.secrets";

export async function keychain(world) {
  const { app, programs, session, steps, tray, artifacts } = world;
  const log = path.join(artifacts, "logs", "launched.log");
  const titles = () => session.windowTitles();

  await steps.must("a keychain is running and unlocked", async () => {
    const words = ["--foreground", "--unlock", "--components=secrets"];
    programs.start("keyring", "gnome-keyring-daemon", words, { env: session.env, input: "a password\n" });
    await until("it answers", async () => {
      const { out } = await run("gdbus", ["introspect", "--session", "--dest", SECRETS, "--object-path", "/org/freedesktop/secrets/collection/login", "--only-properties"], { env: session.env });
      return /Locked = false/.test(out);
    });
  });

  await steps.must("a hidden start shows the tray and no window, and the key moves into the keychain", async () => {
    check(fs.existsSync(app.file("desktop", "api-key.sealed")), "there was no file before");
    await session.panel.untilEmpty();
    const launched = Date.now();
    world.child = app.launch(session.env, log, ["--hidden"]);
    await until("the agent is online", () => app.isOnline(), 40_000);
    await until("the tray says so", async () => (await tray.headline()).startsWith("Online"));
    equal(await titles(), [], `windows ${Date.now() - launched} ms after the start`);
    await until("the files of the key are gone", () =>
      ["api-key.sealed", "api-key.seal"].every((name) => !fs.existsSync(app.file("desktop", name))));
    const found = await session.call(SECRETS, "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.SearchItems", "{}");
    check(/\/collection\/login\/\d+/.test(found), `the keychain holds ${found}`);
  });

  await steps.try("a panel that restarts opens no window, and the icon is in its tray again", async () => {
    await session.panel.end();
    await session.panel.begin();
    await until("the tray says Online again", async () => (await tray.headline()).startsWith("Online"));
    equal(await titles(), [], "windows after the panel's restart");
  });

  await steps.try("another hidden start opens nothing, a manual one opens the window", async () => {
    await succeeds(app.launch(session.env, log, ["--hidden"]));
    equal(await titles(), [], "windows after the hidden start");
    await succeeds(app.launch(session.env, log));
    await until("the window is shown", async () => (await titles()).includes("Postern"));
  });

  await steps.must("quitting ends all programs", async () => {
    await tray.click("Quit Postern");
    await app.nothingIsLeft();
  });
}
