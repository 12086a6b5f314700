// The installation under test: its folders, ports and processes, and requests to it.
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { gone, isAlive, processesWith, run } from "./programs.mjs";
import { freePort } from "./webdriver.mjs";
import { check, until } from "./wait.mjs";

export class App {
  /** Ports are fixed for the whole run, so that "the same address" means something. */
  static async install(root, binaries, name = "postern") {
    const app = new App();
    app.home = path.join(root, name);
    app.binary = path.join(binaries, "postern-desktop");
    app.ports = { https: await freePort(), http: await freePort(), api: await freePort(), web: await freePort() };
    const at = (port) => `127.0.0.1:${port}`;
    app.env = {
      POSTERN_HOME: app.home,
      POSTERN_HTTPS_ADDR: at(app.ports.https),
      POSTERN_HTTP_ADDR: at(app.ports.http),
      POSTERN_API_ADDR: at(app.ports.api),
      POSTERN_WEB_ADDR: at(app.ports.web),
    };
    return app;
  }

  file(...names) {
    return path.join(this.home, ...names);
  }

  json(...names) {
    return JSON.parse(fs.readFileSync(this.file(...names), "utf8"));
  }

  mode(...names) {
    return (fs.statSync(this.file(...names)).mode & 0o777).toString(8);
  }

  serverPid() {
    return this.json("server", "addresses.json").pid;
  }

  agentPid() {
    return this.json("desktop", "started.json").postern?.pid;
  }

  /** The running processes of this installation, found by their environment or command line. */
  processes() {
    return this.#own().filter(({ program }) => program.startsWith("postern"));
  }

  /** The processes of the pages that windows show. */
  pages() {
    return this.#own().filter(({ program }) => program === "WebKitWebProcess");
  }

  #own() {
    return processesWith(`HOME=${path.join(path.dirname(this.home), "home")}`);
  }

  /** Waits until no process of this installation runs and all its ports are closed. */
  async nothingIsLeft(timeoutMs = 25_000) {
    await until("every process of the app has ended", () => {
      const left = this.processes();
      if (left.length > 0) throw new Error(left.map(({ pid, command }) => `${pid} ${command}`).join(" | "));
      return true;
    }, timeoutMs);
    for (const [name, port] of Object.entries(this.ports)) {
      check(await refuses(port), `port ${port} (${name}) still accepts connections`);
    }
  }

  /** Starts the app without WebDriver, as a launcher would. */
  launch(env, logFile, words = []) {
    const log = fs.openSync(logFile, "a");
    const child = spawn(this.binary, words, { env: { ...env, ...this.env }, detached: true, stdio: ["ignore", log, log] });
    fs.closeSync(log);
    return child;
  }

  /** Runs curl with the local authority's certificate. */
  curl(url, ...args) {
    return run("curl", ["-sS", "--max-time", "10", "--cacert", this.file("server", "ca.pem"), ...args, url], {
      env: { PATH: process.env.PATH },
    });
  }

  async api(method, where, body) {
    const answer = await fetch(`http://127.0.0.1:${this.ports.web}${where}`, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${where}: ${answer.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  }

  async isOnline() {
    return (await this.api("GET", "/api/status")).status === "online";
  }

  async tunnel(name) {
    return (await this.api("GET", "/api/configured")).tunnels.find((tunnel) => tunnel.name === name);
  }

  async endWith(signal, pid) {
    process.kill(pid, signal);
    await gone(pid, 25_000);
  }

  /** Kills remaining processes by their ids. */
  endLeftovers() {
    for (const { pid } of this.processes()) {
      if (isAlive(pid)) process.kill(pid, "SIGKILL");
    }
  }
}

/** A web server that records its requests. */
export function origin() {
  const heard = [];
  const answer = { status: 200 };
  const server = http.createServer((request, response) => {
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      heard.push({ method: request.method, url: request.url, body: Buffer.concat(pieces).toString() });
      response.statusCode = answer.status;
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(`<!doctype html><title>Origin</title><h1>Hello from the local service</h1><p>${request.url}</p>`);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(Object.assign(answer, { heard, port: server.address().port, close: () => server.close() })));
  });
}

async function refuses(port) {
  try {
    await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2_000) });
    return false;
  } catch (error) {
    return error.cause?.code === "ECONNREFUSED";
  }
}
