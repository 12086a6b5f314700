// The panel whose tray shows the app's icon.
//
// Its library for menus (libdbusmenu) can crash when a program ends while its menu is being read. The panel starts a crashed
// tray again once a minute and otherwise asks its user; here, the whole panel is started again then.
import fs from "node:fs";
import path from "node:path";
import { pause, until } from "./wait.mjs";

const WATCHER = "org.kde.StatusNotifierWatcher";

const CONFIGURATION = `<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="length" type="uint" value="100"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="size" type="uint" value="32"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
    </property>
  </property>
  <property name="plugins" type="empty"><property name="plugin-1" type="string" value="systray"/></property>
</channel>
`;

/** A crashed tray that the panel starts again is back within about a second. */
const RECOVERY_MS = 3_000;
const WATCH_INTERVAL_MS = 500;

export class Panel {
  #program;
  #watch;
  #isWanted = false;

  constructor(session, programs, configurationFolder) {
    this.session = session;
    this.programs = programs;
    fs.writeFileSync(path.join(configurationFolder, "xfce4-panel.xml"), CONFIGURATION);
  }

  async begin() {
    this.#isWanted = true;
    await this.#start();
    this.#watch = this.#keepTray();
  }

  async end() {
    this.#isWanted = false;
    await this.#watch;
    await this.#stop();
  }

  /** Waits until the icons of ended programs have left the tray, which is running again if it crashed with them. */
  untilEmpty() {
    return until("the tray is empty", async () => (await this.items()) === "");
  }

  /** The icons in the tray, as gdbus prints them. */
  async items() {
    const answer = await this.session.get(WATCHER, "/StatusNotifierWatcher", WATCHER, "RegisteredStatusNotifierItems");
    return /\[(.*)\]/.exec(answer)?.[1] ?? "";
  }

  async #start() {
    this.#program = this.programs.start("panel", "xfce4-panel", ["--disable-wm-check"], { env: this.session.env });
    await until("a tray host is on the bus", () => this.#hasTray(), 20_000);
  }

  async #stop() {
    await this.programs.end(this.#program);
    await until("the tray host is gone", async () => !(await this.#hasTray()));
  }

  async #keepTray() {
    while (this.#isWanted) {
      try {
        if (!(await this.#isBack()) && this.session.hasDisplay()) {
          console.log("note  the panel's tray ended by itself; the panel is started again");
          await this.#stop();
          await this.#start();
        }
      } catch {
        // The display or the bus ends.
        return;
      }
      await pause(WATCH_INTERVAL_MS);
    }
  }

  async #isBack() {
    const deadline = Date.now() + RECOVERY_MS;
    while (this.#isWanted && !(await this.#hasTray())) {
      if (Date.now() > deadline) return false;
      await pause(WATCH_INTERVAL_MS);
    }
    return true;
  }

  #hasTray() {
    return this.session.hasName(WATCHER);
  }
}
