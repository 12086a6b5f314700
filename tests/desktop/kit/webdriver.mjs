// A WebDriver client for WebKitWebDriver, which starts the real app.
import net from "node:net";
import { until } from "./wait.mjs";

/** The length of a page's text in an error. */
const EXCERPT = 800;
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

export class Driver {
  static async begin(programs, env) {
    const driver = new Driver();
    driver.programs = programs;
    driver.env = env;
    await driver.#listen(env);
    return driver;
  }

  /** Restarts the app with further environment variables. */
  async reopen(env, binary) {
    await this.programs.end(this.child);
    await this.#listen({ ...this.env, ...env });
    await this.open(binary);
  }

  async #listen(env) {
    const port = await freePort();
    this.child = this.programs.start("webdriver", "WebKitWebDriver", ["--host=127.0.0.1", `--port=${port}`], {
      env: { ...env, TAURI_WEBVIEW_AUTOMATION: "true" },
    });
    this.base = `http://127.0.0.1:${port}`;
    await until("WebKitWebDriver answers", async () => (await fetch(`${this.base}/status`)).ok);
  }

  /** Starts the app and waits for its first window. */
  async open(binary) {
    const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": { binary, args: [] } } };
    const { sessionId } = await this.#send("POST", "/session", { capabilities }, 90_000);
    this.session = `/session/${sessionId}`;
    await until("the app has a window", async () => (await this.windows()).length > 0, 60_000);
    await this.switchTo("index.html");
  }

  async close() {
    if (!this.session) return;
    await this.#send("DELETE", this.session).catch(() => {});
    this.session = undefined;
  }

  windows() {
    return this.#send("GET", `${this.session}/window/handles`);
  }

  /** Selects the window that shows this page (`index.html`, `inspector.html`). */
  async switchTo(page) {
    await until(`the window of ${page} can be selected`, async () => {
      for (const handle of await this.windows()) {
        await this.#send("POST", `${this.session}/window`, { handle });
        const where = await this.script("return location.pathname");
        if ((where === "/" ? "/index.html" : where) === `/${page}`) return true;
      }
      return false;
    });
  }

  script(text, ...args) {
    return this.#send("POST", `${this.session}/execute/sync`, { script: text, args });
  }

  /** Calls a command of the app from the page. Returns `{ok}` or `{error}`. */
  command(name, args = {}) {
    const script = `const done = arguments[arguments.length - 1];
      window.__TAURI_INTERNALS__.invoke(arguments[0], arguments[1])
        .then((ok) => done({ ok }), (error) => done({ error }));`;
    return this.#send("POST", `${this.session}/execute/async`, { script, args: [name, args] });
  }

  /** Waits until the page was painted again. */
  twoFrames() {
    const script = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));";
    return this.#send("POST", `${this.session}/execute/async`, { script, args: [] });
  }

  async all(xpath) {
    const found = await this.#send("POST", `${this.session}/elements`, { using: "xpath", value: xpath });
    return found.map((element) => element[ELEMENT]);
  }

  /** Waits for the first visible element of an XPath. The error contains the text of the page. */
  async find(xpath, timeoutMs = 15_000) {
    const look = async () => {
      for (const id of await this.all(xpath)) {
        if (await this.#send("GET", `${this.session}/element/${id}/displayed`)) return id;
      }
      return null;
    };
    try {
      return await until(`the page shows ${xpath}`, look, timeoutMs);
    } catch (error) {
      const main = "return (document.querySelector('main') ?? document.body).innerText";
      const shown = await this.script(main).catch((why) => why.message);
      throw new Error(`${error.message}; it shows: ${shown.replace(/\s+/g, " ").slice(0, EXCERPT)}`);
    }
  }

  async click(xpath) {
    await until(`${xpath} can be clicked`, async () => {
      const id = await this.find(xpath, 1_000);
      await this.#send("POST", `${this.session}/element/${id}/click`, {});
      return true;
    });
  }

  async type(xpath, text) {
    const id = await this.find(xpath);
    // Deleted as a person does it: clearing an element over the protocol sends no input event.
    const [end, backspace] = ["\uE010", "\uE003"];
    const former = await this.#send("GET", `${this.session}/element/${id}/property/value`);
    await this.#send("POST", `${this.session}/element/${id}/value`, { text: `${end}${backspace.repeat(former.length)}${text}` });
  }

  async text(xpath) {
    return this.#send("GET", `${this.session}/element/${await this.find(xpath)}/text`);
  }

  pageText() {
    return this.script("return document.body.innerText");
  }

  async #send(method, path, body, timeoutMs = 20_000) {
    const answer = await fetch(this.base + path, {
      method,
      headers: { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${value?.message ?? JSON.stringify(value)}`);
    return value;
  }
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
