// A stand-in for the agent, for states a real one reaches only with patience: offline with a countdown, refusals,
// tens of thousands of requests. It serves ui/dist under the same strict policy. Its responses are typed as the agent's
// description has them, and `specs/fake-agent.spec.ts` holds both agents against that description.
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { DIAGNOSIS, PORTS } from "./agent-findings";
import { exchange, type Exchange, type Spoken } from "./captured";
import type * as local from "../../../ui/src/api/local.generated";

export const PAGES = join(import.meta.dirname, "../../../ui/dist");
export const POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' data:; connect-src 'self'; " +
  "img-src 'self' data: blob:; font-src 'self'; frame-src 'none'; object-src 'none'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types postern";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** The media type of a file of the pages. */
export const typeOf = (file: string): string => TYPES[extname(file)] ?? "application/octet-stream";

export type FakeTunnel = local.ConfiguredTunnel;

export class FakeAgent {
  tunnels: FakeTunnel[] = [];
  exchanges: Exchange[] = [];
  /** Every changing call the page made, as `METHOD path body`. */
  heard: string[] = [];
  session: local.SessionView = {
    state: "online",
    server_addr: "localhost:4443",
    reason: null,
    next_try: null,
    attempt: 0,
    since: new Date(Date.now() - 3_600_000).toISOString(),
    server_version: "0.1.0",
    root_cas: null,
    legs: [{ region: "local", latency: "0.4ms", round_trip: 400_000 }],
  };
  configuration =
    'version: 2\nauthtoken: "(kept secret 1)"\nserver_addr: localhost:4443\ntunnels:\n  shop:\n    proto: http\n    addr: 8080\n';
  /** How many requests each running tunnel has carried. */
  visits = 128;
  /** The next start of a tunnel is refused with this. */
  refusal: { status: number; code: string; message: string } | null = null;
  #server: Server;
  #port = 0;
  #feeds = new Set<ServerResponse>();

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        response.statusCode = 500;
        response.end(String(error));
      });
    });
  }

  static async start(): Promise<FakeAgent> {
    const agent = new FakeAgent();
    await agent.#listen(0);
    return agent;
  }

  /** Where it is, also while it is stopped. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts once more at the same address. */
  async startAgain(): Promise<void> {
    await this.#listen(this.#port);
  }

  async stop(): Promise<void> {
    this.dropFeeds();
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  async #listen(port: number): Promise<void> {
    await new Promise<void>((listening) => this.#server.listen(port, "127.0.0.1", listening));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Breaks the live feed as a restart would. */
  dropFeeds(): void {
    for (const feed of this.#feeds) feed.destroy();
    this.#feeds.clear();
  }

  tunnel(part: Partial<FakeTunnel> & { name: string }): FakeTunnel {
    const tunnel: FakeTunnel = {
      definition: { proto: "http", addr: 8080 },
      state: "stopped",
      public_url: null,
      error: null,
      service: null,
      saved: true,
      ...part,
    };
    this.tunnels.push(tunnel);
    return tunnel;
  }

  captures(spoken: Spoken | Exchange): Exchange {
    const captured = "summary" in spoken ? spoken : exchange(spoken);
    this.exchanges.push(captured);
    this.#tell("request", captured.summary);
    return captured;
  }

  tellStatus(): void {
    this.#tell("status", this.#status());
  }

  tellTunnels(): void {
    this.#tell("tunnels", this.#configuredList());
  }

  #tell(event: string, data: unknown): void {
    for (const feed of this.#feeds) feed.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  #status(): local.AgentStatus {
    return {
      status: this.session.state === "online" ? "online" : "offline",
      agent_version: "0.1.0",
      session: this.session,
      web_addr: this.url.replace("http://", ""),
      config_path: "~/.config/postern/postern.yml",
      config_error: null,
      pid: 4711,
      capture: {
        bytes: 3_400_000,
        limit: 52_428_800,
        count: this.exchanges.length,
        pinned: 0,
        dropped: 0,
        oldest: this.exchanges[0]?.summary.start ?? null,
      },
      uri: "/api/status",
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://agent");
    if (!url.pathname.startsWith("/api/")) return this.#page(url.pathname, response);
    const method = request.method ?? "GET";
    const body = await text(request);
    if (method !== "GET") this.heard.push(`${method} ${decodeURIComponent(url.pathname)} ${body}`);
    const answer: Answer = (status, value) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(value === undefined ? "" : JSON.stringify(value));
    };
    const refuse: Refuse = (status, code, message, more = {}) =>
      answer(status, {
        error_code: 100,
        status_code: status,
        msg: "request refused",
        details: { err: message, code, ...more },
      });

    if (url.pathname === "/api/status") return answer(200, this.#status());
    if (url.pathname === "/api/events") return this.#feed(response);
    if (url.pathname === "/api/configured") return answer(200, this.#configuredList());
    if (url.pathname === "/api/tunnels") return answer(200, { tunnels: this.#running(), uri: url.pathname });
    if (url.pathname === "/api/ports") return answer(200, { ports: PORTS, uri: url.pathname });
    const port = PORTS.find(({ port }) => url.pathname === `/api/ports/${port}`);
    if (port) return answer(200, { ...port, speaks: port.speaks ?? "http" });
    if (url.pathname.startsWith("/api/configuration"))
      return this.#configuration(method, url, body, answer, refuse);
    if (url.pathname === "/api/diagnosis") return answer(200, DIAGNOSIS);
    const sampled = /^\/api\/configured\/([^/]+)\/sample$/.exec(url.pathname);
    if (sampled) return answer(200, { status_code: 200 });
    const named = /^\/api\/configured\/([^/]+)(\/start|\/stop)?$/.exec(url.pathname);
    if (named)
      return this.#configured(method, decodeURIComponent(named[1] ?? ""), named[2], body, answer, refuse);
    if (url.pathname === "/api/requests/http/summaries") return answer(200, this.#summaries(url));
    if (url.pathname === "/api/requests/http" && method === "POST") return this.#replay(body, answer, refuse);
    if (url.pathname === "/api/requests/http" && method === "DELETE") {
      this.exchanges = [];
      answer(204);
      return this.#tell("requests_deleted", {});
    }
    const [, id, side] =
      /^\/api\/requests\/http\/([^/]+)(?:\/(request|response)\/body)?$/.exec(url.pathname) ?? [];
    const captured = this.exchanges.find(({ summary }) => summary.id === id);
    if (captured && side === undefined)
      return answer(200, detail(captured, url.searchParams.get("raw") === "head"));
    if (captured) return range(side === "request" ? captured.request : captured.response, request, response);
    return refuse(404, "ERR_POSTERN_8104", "There is no such captured request.");
  }

  #configuration(method: string, url: URL, body: string, answer: Answer, refuse: Refuse): void {
    const revision = String(this.configuration.length);
    if (body !== "") {
      const given = JSON.parse(body) as local.ConfigurationEdit;
      if (given.revision !== revision)
        return refuse(409, "ERR_POSTERN_8123", "The configuration file has changed meanwhile.");
      const problems = misspelt(given.text);
      if (url.pathname.endsWith("/check")) {
        const check: local.ConfigurationCheck = { valid: problems.length === 0, problems };
        return answer(200, check);
      }
      if (problems.length > 0)
        return refuse(400, "ERR_POSTERN_8100", "The configuration has errors.", { problems });
      if (method === "PUT") this.configuration = given.text;
    }
    const configuration: local.ConfigurationText = {
      path: "/home/ada/.config/postern/postern.yml",
      other_files: [],
      text: this.configuration,
      revision: String(this.configuration.length),
      kept_secrets: 1,
      uri: "/api/configuration",
    };
    return answer(200, configuration);
  }

  async #page(path: string, response: ServerResponse): Promise<void> {
    const file = normalize(path === "/" ? "/inspector.html" : path);
    try {
      const content = await readFile(join(PAGES, file));
      response.writeHead(200, {
        "Content-Type": typeOf(file),
        "Content-Security-Policy": POLICY,
        "X-Content-Type-Options": "nosniff",
      });
      response.end(content);
    } catch {
      response.writeHead(404);
      response.end();
    }
  }

  #feed(response: ServerResponse): void {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    this.#feeds.add(response);
    response.on("close", () => this.#feeds.delete(response));
    response.write(`event: status\ndata: ${JSON.stringify(this.#status())}\n\n`);
    response.write(`event: tunnels\ndata: ${JSON.stringify(this.#configuredList())}\n\n`);
  }

  #configuredList(): local.ConfiguredTunnelList {
    return { tunnels: this.tunnels, uri: "/api/configured" };
  }

  #running(): local.RunningTunnel[] {
    const rates: local.RequestMetrics = {
      count: this.visits,
      rate1: 0.4,
      rate5: 0.2,
      rate15: 0.1,
      p50: 12e6,
      p90: 80e6,
      p95: 120e6,
      p99: 900e6,
    };
    return this.tunnels
      .filter(({ state }) => state === "running")
      .map(({ name, public_url, definition }) => ({
        name,
        uri: `/api/tunnels/${name}`,
        public_url: public_url ?? "",
        proto: definition.proto ?? "http",
        config: { addr: `http://localhost:${definition.addr ?? 80}`, inspect: true },
        metrics: { conns: { ...rates, gauge: 2 }, http: rates },
      }));
  }

  #summaries(url: URL): local.SummaryList {
    const limit = Number(url.searchParams.get("limit") ?? 50);
    const before = url.searchParams.get("before");
    const newest = this.exchanges.toReversed().map(({ summary }) => summary);
    const from = before === null ? 0 : newest.findIndex(({ id }) => id === before) + 1;
    const requests = newest.slice(from, from + limit);
    const more = from + limit < newest.length;
    return { requests, next: more ? (requests.at(-1)?.id ?? null) : null, cut: false };
  }

  #configured(
    method: string,
    name: string,
    verb: string | undefined,
    body: string,
    answer: Answer,
    refuse: Refuse,
  ): void {
    const known = this.tunnels.find((tunnel) => tunnel.name === name);
    if (method === "PUT") {
      const tunnel = known ?? this.tunnel({ name });
      tunnel.definition = JSON.parse(body) as local.TunnelDefinition;
      tunnel.saved = true;
      answer(200, tunnel);
      return this.tellTunnels();
    }
    if (!known) return refuse(404, "ERR_POSTERN_8101", `There is no tunnel named ${name}.`);
    if (method === "DELETE") {
      this.tunnels = this.tunnels.filter((tunnel) => tunnel !== known);
      answer(204);
      return this.tellTunnels();
    }
    if (verb === "/start" && this.refusal) {
      const { status, code, message } = this.refusal;
      known.state = "failed";
      known.error = { code, message };
      refuse(status, code, message);
      return this.tellTunnels();
    }
    known.state = verb === "/start" ? "running" : "stopped";
    known.error = null;
    known.public_url =
      verb === "/start"
        ? (known.public_url ??
          (known.definition.proto === "tcp"
            ? "tcp://localhost:24010"
            : `https://${name}-1234.localhost:4443`))
        : null;
    answer(200, known);
    this.tellTunnels();
  }

  #replay(body: string, answer: Answer, refuse: Refuse): void {
    const { id, tunnel_name: tunnel } = JSON.parse(body) as { id: string; tunnel_name?: string };
    const original = this.exchanges.find(({ summary }) => summary.id === id);
    if (!original) return refuse(404, "ERR_POSTERN_8104", "There is no such captured request.");
    answer(204);
    const replayed = exchange({
      method: original.summary.method,
      path: original.summary.path,
      replayOf: id,
      milliseconds: 9,
      status: "200 OK",
      answer: "replayed",
      ...(tunnel ? { tunnel } : {}),
    });
    replayed.request = original.request;
    const pending = {
      ...replayed,
      summary: { ...replayed.summary, status: null, status_code: null, duration: null },
      response: null,
    };
    this.captures(pending);
    this.exchanges[this.exchanges.length - 1] = replayed;
    this.#tell("request", replayed.summary);
  }
}

type Answer = (status: number, value?: unknown) => void;
type Refuse = (status: number, code: string, message: string, more?: object) => void;

/** The one mistake that the stand-in knows. */
function misspelt(text: string): local.ConfigurationProblem[] {
  const line = text.split("\n").findIndex((text) => text.startsWith("servr_addr"));
  const message = "There is no such key. Did you mean `server_addr`?";
  return line < 0
    ? []
    : [{ line: line + 1, column: 1, key: "servr_addr", message, code: "ERR_POSTERN_8100" }];
}

const endOfHead = (message: Buffer) => message.indexOf("\r\n\r\n") + 4;

/** The bytes of a body that were asked for. */
function range(message: Buffer | null, request: IncomingMessage, response: ServerResponse): void {
  const body = message?.subarray(endOfHead(message)) ?? Buffer.alloc(0);
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
  const from = Number(first ?? 0);
  const to = Math.min(Number(last ?? body.length) + 1, body.length);
  if (from >= to) {
    response.writeHead(416, { "Content-Range": `bytes */${body.length}` });
    response.end();
    return;
  }
  response.writeHead(206, {
    "Content-Type": "application/octet-stream",
    "Content-Range": `bytes ${from}-${to - 1}/${body.length}`,
  });
  response.end(body.subarray(from, to));
}

function detail({ summary, request, response }: Exchange, headOnly: boolean): local.CapturedRequest {
  const message = (bytes: Buffer) => ({
    proto: "HTTP/1.1",
    headers: headersOf(bytes),
    raw: (headOnly ? bytes.subarray(0, endOfHead(bytes)) : bytes).toString("base64"),
    body_size: bytes.length - endOfHead(bytes),
  });
  const { id, tunnel_name, remote_addr, start, replay_of, replay_through, error } = summary;
  const { pinned, note, imported, frames, open } = summary;
  return {
    uri: `/api/requests/http/${id}`,
    id,
    tunnel_name,
    remote_addr,
    start,
    duration: summary.duration ?? 0,
    request: { ...message(request), method: summary.method, uri: summary.path },
    response: response && {
      ...message(response),
      status: summary.status ?? "",
      status_code: summary.status_code ?? 0,
    },
    replay_of,
    replay_through,
    trace: null,
    timing: NOTHING_MEASURED,
    cut: { request: summary.cut, response: false },
    complete: { request: true, response: response !== null },
    error,
    pinned,
    note,
    imported,
    frames,
    open,
  };
}

const NOTHING_MEASURED: local.CaptureTiming = {
  edge: null,
  modules: null,
  queue: null,
  transit: null,
  connect: null,
  sent: null,
  first_byte: null,
  last_byte: null,
};

function headersOf(message: Buffer): Record<string, string[]> {
  const [, ...lines] = message
    .subarray(0, endOfHead(message) - 4)
    .toString("latin1")
    .split("\r\n");
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const [name = "", value = ""] = line.split(/: *(.*)/s);
    (headers[name] ??= []).push(value);
  }
  return headers;
}

async function text(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
