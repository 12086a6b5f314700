// A desktop session for the test: X server, session bus, window manager, and a panel with a tray.
import fs from "node:fs";
import path from "node:path";
import { Panel } from "./panel.mjs";
import { hasEnded, run } from "./programs.mjs";
import { until } from "./wait.mjs";

/** The number of pixels, in a screenshot scaled to a tenth, that a caret or a counter may change. */
const CARET_PIXELS = 40;
const SETTLE_TRIES = 20;
/** An empty window with its frame, the panel and the icon have fewer colours. */
const DRAWN_SHADES = 900;

/** The position of openbox's close button relative to the upper right corner of a window's content. */
const CLOSE_BUTTON = { right: 10, above: 9 };

export class Session {
  constructor(programs, root) {
    this.programs = programs;
    this.root = root;
    const below = (name) => {
      const folder = path.join(root, name);
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      return folder;
    };
    const home = below("home");
    // The test does not read or change the user's own files.
    this.env = {
      PATH: process.env.PATH,
      LANG: "C.UTF-8",
      HOME: home,
      XDG_CONFIG_HOME: below("home/.config"),
      XDG_DATA_HOME: below("home/.local/share"),
      XDG_CACHE_HOME: below("home/.cache"),
      XDG_STATE_HOME: below("home/.local/state"),
      XDG_RUNTIME_DIR: below("runtime"),
      TMPDIR: below("tmp"),
      NO_AT_BRIDGE: "1",
      GTK_THEME: "Adwaita",
      GSETTINGS_BACKEND: "memory",
      LIBGL_ALWAYS_SOFTWARE: "1",
    };
    // An installed keychain would be started on demand; here a chapter starts it.
    const services = below("home/.local/share/dbus-1/services");
    const disabled = "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/false\n";
    fs.writeFileSync(path.join(services, "org.freedesktop.secrets.service"), disabled);
    this.panel = new Panel(this, programs, below("home/.config/xfce4/xfconf/xfce-perchannel-xml"));
  }

  async begin() {
    const { programs, env } = this;
    this.display = programs.start("xvfb", "Xvfb", ["-displayfd", "3", "-screen", "0", "1440x900x24", "-nolisten", "tcp"], {
      env,
      extra: ["pipe"],
    });
    env.DISPLAY = `:${await firstLine(this.display.stdio[3], "Xvfb's display number")}`;
    const bus = programs.start("dbus", "dbus-daemon", ["--session", "--nofork", "--print-address=3"], {
      env,
      extra: ["pipe"],
    });
    env.DBUS_SESSION_BUS_ADDRESS = await firstLine(bus.stdio[3], "the bus address");
    programs.start("openbox", "openbox", ["--sm-disable"], { env });
    await this.panel.begin();
  }

  hasDisplay() {
    return !hasEnded(this.display);
  }

  /** Whether a program on the session bus has this name. */
  async hasName(name) {
    const bus = "org.freedesktop.DBus";
    const answer = await this.call(bus, "/", `${bus}.NameHasOwner`, name);
    return answer.includes("true");
  }

  /** One call on the session bus; returns the output of gdbus. */
  async call(destination, object, method, ...args) {
    const words = ["call", "--session", "--timeout", "10", "--dest", destination, "--object-path", object];
    const { code, out, err } = await run("gdbus", [...words, "--method", method, "--", ...args], { env: this.env });
    if (code !== 0) throw new Error(`${method}: ${err.trim()}`);
    return out.trim();
  }

  /** A property of an object on the session bus, as gdbus prints it. */
  get(destination, object, type, property) {
    return this.call(destination, object, "org.freedesktop.DBus.Properties.Get", type, property);
  }

  async busNameOwner(name) {
    const bus = "org.freedesktop.DBus";
    const answer = await this.call(bus, "/", `${bus}.GetConnectionUnixProcessID`, name);
    return Number(/uint32 (\d+)/.exec(answer)?.[1]);
  }

  /** A screenshot of the X screen, not only of the page. */
  async screenshot(file) {
    const { code, err } = await run("import", ["-window", "root", "-silent", file], { env: this.env });
    if (code !== 0) throw new Error(`no screenshot: ${err.trim()}`);
  }

  /** The titles of the windows that are shown. */
  async windowTitles() {
    const args = ["search", "--onlyvisible", "--name", "Postern"];
    const ids = (await run("xdotool", args, { env: this.env })).out.split("\n").filter(Boolean);
    const titles = [];
    for (const id of ids) titles.push((await run("xdotool", ["getwindowname", id], { env: this.env })).out.trim());
    return titles;
  }

  /** Brings a window to the front at a given size, so that screenshots do not depend on chance. */
  async arrange(title, [x, y, width, height]) {
    const id = await this.#idOf(title);
    await run("xdotool", ["windowsize", id, String(width), String(height)], { env: this.env });
    await run("xdotool", ["windowmove", id, String(x), String(y)], { env: this.env });
    await run("xdotool", ["windowactivate", "--sync", id], { env: this.env });
    return id;
  }

  /** Ctrl+V into a window, as a person pastes. */
  async pasteInto(title) {
    const id = await this.#idOf(title);
    await run("xdotool", ["windowactivate", "--sync", id, "key", "--clearmodifiers", "ctrl+v"], { env: this.env });
  }

  /** Waits until fonts and transitions have settled: two pictures alike but for a caret. A busy screen is taken as it is. */
  async settle() {
    let before = "";
    for (let tries = 0; tries < SETTLE_TRIES; tries += 1) {
      const small = ["-window", "root", "-silent", "-resize", "10%", "-depth", "8", "gray:-"];
      const { out } = await run("import", small, { env: this.env, encoding: "latin1" });
      const comparable = out.length > 0 && out.length === before.length;
      if (comparable && [...out].filter((pixel, place) => pixel !== before[place]).length <= CARET_PIXELS) return;
      before = out;
    }
  }

  /** Keeps a picture as soon as a window has drawn more than its empty ground: text brings many shades. */
  async screenshotOnceDrawn(file) {
    await until("the window is drawn", async () => {
      await this.screenshot(file);
      const { out } = await run("identify", ["-format", "%k", file], { env: this.env });
      return Number(out) > DRAWN_SHADES;
    });
    await this.settle();
    await this.screenshot(file);
  }

  /** Clicks the close button that the window manager draws, until the window is out of sight. */
  async closeWindow(title) {
    await until(`the window ${title} is closed`, async () => {
      if (!(await this.windowTitles()).includes(title)) return true;
      await this.#clickClose(await this.#idOf(title));
      // A window may have moved just before the click; then the click is repeated.
      return until("it is out of sight", async () => !(await this.windowTitles()).includes(title), 1_000);
    });
  }

  async #clickClose(id) {
    await run("xdotool", ["windowactivate", "--sync", id], { env: this.env });
    // Not xdotool's geometry: older versions count the frame twice.
    const { out } = await run("xwininfo", ["-id", id], { env: this.env });
    const number = (what) => Number(new RegExp(`${what}:\\s+(-?\\d+)`).exec(out)[1]);
    const [x, y, width] = [number("Absolute upper-left X"), number("Absolute upper-left Y"), number("Width")];
    const { right, above } = CLOSE_BUTTON;
    const args = ["mousemove", String(x + width - right), String(y - above), "click", "1"];
    await run("xdotool", args, { env: this.env });
  }

  async #idOf(title) {
    const found = await run("xdotool", ["search", "--onlyvisible", "--name", `^${title}$`], { env: this.env });
    const id = found.out.split("\n").filter(Boolean).pop();
    if (!id) throw new Error(`no window is called ${title}`);
    return id;
  }
}

function firstLine(stream, what) {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`${what} did not come within 15 s`)), 15_000);
    stream.on("data", (piece) => {
      text += piece;
      const end = text.indexOf("\n");
      if (end < 0) return;
      clearTimeout(timer);
      resolve(text.slice(0, end).trim());
    });
  });
}
