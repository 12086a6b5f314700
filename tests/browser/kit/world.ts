// The real thing: a server, an agent and a small web site, each a process or a listener of its own.
// With POSTERN_AGENT_URL an agent that runs already is used, and nothing but the site is started.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo, LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { gzipSync } from "node:zlib";

const TOP = join(import.meta.dirname, "../../..");
const DEADLINE_MS = 30_000;

export const externalAgent = process.env["POSTERN_AGENT_URL"] || null;

function program(name: string): string {
  const folder = process.env["POSTERN_BIN_DIR"] ?? "target/debug";
  return join(isAbsolute(folder) ? folder : join(TOP, folder), name);
}

/** Asks again until there is an answer; says what was waited for when there is none in time. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const until = Date.now() + DEADLINE_MS;
  let last: unknown;
  while (Date.now() < until) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
    } catch (error) {
      last = error;
    }
    await new Promise((again) => setTimeout(again, 50));
  }
  throw new Error(`waited in vain for ${what}${last ? `: ${String(last)}` : ""}`);
}

class Program {
  readonly #child: ChildProcess;
  #said = "";

  constructor(name: string, given: readonly string[]) {
    this.#child = spawn(program(name), given, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (data: Buffer) => (this.#said += data.toString()));
    this.#child.on("error", (error) => (this.#said += String(error)));
  }

  get said(): string {
    return this.#said;
  }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined)
      return;
    const ended = new Promise((done) => this.#child.once("exit", done));
    this.#child.kill(signal);
    const late = setTimeout(() => this.#child.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(late);
  }
}

/** A web site that remembers what it heard. */
export class Site {
  heard: string[] = [];
  /** What the last request said about itself. */
  headers: IncomingHttpHeaders = {};
  readonly #server: Server;

  private constructor() {
    // A connection that the site closes while a request is on its way fails in the list of requests, and rightly so.
    this.#server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => this.#answer(request, response));
  }

  static async start(): Promise<Site> {
    const site = new Site();
    await new Promise<void>((listening) => site.#server.listen(0, "127.0.0.1", listening));
    return site;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.heard.push(`${request.method} ${request.url}`);
    this.headers = request.headers;
    request.resume();
    if (request.url?.startsWith("/packed")) {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
      // Two writes without a length: the answer is chunked.
      const packed = gzipSync('{"packed":true,"number":12345678901234567890}');
      response.write(packed.subarray(0, 10));
      response.end(packed.subarray(10));
    } else if (request.url?.startsWith("/large")) {
      response.writeHead(200, { "Content-Type": "text/plain" });
      response.end("x".repeat(2 * 1024 * 1024));
    } else {
      response.writeHead(200, { "Content-Type": "text/plain", "Set-Cookie": "sid=s3cr3t; Path=/" });
      response.end("hello from the site\n");
    }
  }
}

export class World {
  readonly site: Site;
  readonly folder: string;
  #server: Program | null = null;
  #agent: Program | null = null;
  #ports: { https: string; http: string; api: string } | null = null;
  #url = externalAgent ?? "";
  readonly #given: readonly string[];
  readonly #settings: readonly string[];

  private constructor(site: Site, given: readonly string[], settings: readonly string[] = []) {
    this.site = site;
    this.#given = given;
    this.#settings = settings;
    this.folder = mkdtempSync(join(tmpdir(), "postern-browser-"));
  }

  /** `given`: further arguments of the server. `settings`: further lines of the agent's configuration. */
  static async start(given: readonly string[] = [], settings: readonly string[] = []): Promise<World> {
    const world = new World(await Site.start(), given, settings);
    if (externalAgent !== null) return world;
    try {
      await world.startServer();
      await world.#startAgent();
    } catch (error) {
      await world.stop();
      throw error;
    }
    return world;
  }

  /** A server and no agent: for what is the server's alone. */
  static async startServerOnly(given: readonly string[] = []): Promise<World> {
    const world = new World(await Site.start(), given);
    try {
      await world.startServer();
    } catch (error) {
      await world.stop();
      throw error;
    }
    return world;
  }

  /** Where the management API and the console are. */
  get management(): string {
    return `http://${this.#ports?.api}`;
  }

  /** The certificate of the server's own authority, in PEM. */
  get authorityText(): string {
    return readFileSync(this.authority, "utf8");
  }

  /** The administrator's key. */
  get key(): string {
    return readFileSync(join(this.folder, "server/admin.key"), "utf8").trim();
  }

  /** Where the agent's pages and local API are. */
  get url(): string {
    return this.#url.replace(/\/$/, "");
  }

  get configuration(): string {
    return join(this.folder, "postern.yml");
  }

  get authority(): string {
    return join(this.folder, "server/ca.pem");
  }

  /** Starts the server; the second time on the same addresses. */
  async startServer(): Promise<void> {
    const data = join(this.folder, "server");
    const given = this.#ports ?? { https: "127.0.0.1:0", http: "127.0.0.1:0", api: "127.0.0.1:0" };
    rmSync(join(data, "addresses.json"), { force: true });
    this.#server = new Program("postern-server", [
      "run",
      ...["--data-dir", data],
      // Nothing is looked up outside this machine.
      ...["--dns-resolver", "127.0.0.1:1"],
      ...["--https-addr", given.https, "--http-addr", given.http, "--api-addr", given.api],
      ...this.#given,
    ]);
    this.#ports = await eventually(`the server (${program("postern-server")})`, async () => {
      const ports = JSON.parse(readFileSync(join(data, "addresses.json"), "utf8")) as {
        https: string;
        http: string;
        api: string;
      };
      return (await fetch(`http://${ports.api}/healthz`)).ok ? ports : undefined;
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.#server?.said}`);
    });
  }

  async killServer(): Promise<void> {
    await this.#server?.end("SIGKILL");
  }

  /** Ends the server as an operator does. */
  async endServer(): Promise<void> {
    await this.#server?.end();
  }

  /** Where visitors come in by HTTPS. */
  get httpsPort(): string {
    return this.#ports?.https.split(":").at(-1) ?? "";
  }

  /** One call of the server's management API, with the administrator's key. */
  async manage<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.managed(method, path, body === undefined ? null : JSON.stringify(body));
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return (answer.body === "" ? null : JSON.parse(answer.body)) as T;
  }

  /** The same call, with whatever the server says to it. */
  async managed(
    method: string,
    path: string,
    body: string | null,
  ): Promise<{ status: number; body: string }> {
    const answer = await fetch(`${this.management}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.key}`,
        "Service-Version": "2",
        "Content-Type": "application/json",
      },
      ...(body === null ? {} : { body }),
    });
    return { status: answer.status, body: await answer.text() };
  }

  /** Makes a record over the management API; answers its id. */
  async create(path: string, body: unknown = {}): Promise<string> {
    return (await this.manage<{ id: string }>("POST", path, body)).id;
  }

  async #startAgent(): Promise<void> {
    const data = join(this.folder, "server");
    const { token } = await this.manage<{ token: string }>("POST", "/credentials", {
      description: "This computer",
    });
    writeFileSync(
      this.configuration,
      [
        "# a comment that stays",
        "version: 2",
        `authtoken: ${token}`,
        `server_addr: localhost:${this.httpsPort}`,
        `root_cas: ${join(data, "ca.pem")}`,
        "web_addr: 127.0.0.1:0",
        ...this.#settings,
        "",
      ].join("\n"),
      { mode: 0o600 },
    );
    this.#agent = new Program("postern", ["start", "--none", "--config", this.configuration]);
    this.#url = await eventually(`the agent (${program("postern")})`, async () => {
      const { web_addr: web } = JSON.parse(readFileSync(`${this.configuration}.state.json`, "utf8")) as {
        web_addr: string | null;
      };
      const { status } = (await (await fetch(`http://${web}/api/status`)).json()) as { status: string };
      return status === "online" ? `http://${web}` : undefined;
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.#agent?.said}`);
    });
  }

  /** Ends the agent as its user does. */
  async endAgent(): Promise<void> {
    await this.#agent?.end();
  }

  /** One call of the agent's local API, as curl would make it. */
  async api<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === "" ? null : JSON.parse(text)) as T;
  }

  /** Starts a tunnel to the site over the contract's API; answers its public address. */
  async publish(name: string): Promise<string> {
    const { public_url: url } = await this.api<{ public_url: string }>("POST", "/api/tunnels", {
      name,
      proto: "http",
      addr: String(this.site.port),
    });
    return url;
  }

  /** Comes by as a visitor from outside. Certificates are checked against the server's own authority. */
  visit(
    url: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
    const ca = externalAgent === null ? readFileSync(this.authority) : undefined;
    return new Promise((done, fail) => {
      const request = httpsRequest(
        url,
        { ca, headers, rejectUnauthorized: ca !== undefined, lookup: toLoopback, agent: false },
        (answer) => {
          let body = "";
          answer.on("data", (data: Buffer) => (body += data.toString()));
          answer.on("end", () => done({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
        },
      );
      request.on("error", fail);
      request.end();
    });
  }

  async stop(): Promise<void> {
    await this.#agent?.end();
    await this.#server?.end();
    await this.site.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Names below localhost lead here on every machine. */
export const toLoopback: LookupFunction = (_name, options, done) => {
  if (options.all) done(null, [{ address: "127.0.0.1", family: 4 }]);
  else done(null, "127.0.0.1", 4);
};
