// A page of another site, open in the same browser, tries everything a page can do against the agent:
// nothing changes, nothing can be read. The agent has no login, so this is its lock.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { launch } from "../kit/browser";
import { World } from "../kit/world";

let browser: Browser;
let world: World;
let stranger: Server;
let page: Page;
let agent: string;
let before: unknown;

beforeAll(async () => {
  browser = await launch();
  world = await World.start();
  const url = await world.publish("guarded");
  await world.visit(`${url}/captured`);
  agent = new URL(world.url).host;
  stranger = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "text/html" });
    response.end("<!doctype html><title>stranger</title>");
  });
  await new Promise<void>((listening) => stranger.listen(0, "127.0.0.1", listening));
});
afterAll(async () => {
  stranger?.closeAllConnections();
  stranger?.close();
  await world?.stop();
  await browser?.close();
});
beforeEach(async () => {
  before = await stand();
  page = await (await browser.newContext()).newPage();
  await page.goto(`http://localhost:${(stranger.address() as AddressInfo).port}/`);
});
afterEach(async () => {
  await page.context().close();
  expect(await stand(), "tunnels and captured requests are as they were").toEqual(before);
});

async function stand() {
  const { tunnels } = await world.api<{ tunnels: { name: string; config: unknown }[] }>(
    "GET",
    "/api/tunnels",
  );
  const { tunnels: configured } = await world.api<{ tunnels: { name: string; state: string }[] }>(
    "GET",
    "/api/configured",
  );
  const { requests } = await world.api<{ requests: { id: string }[] }>("GET", "/api/requests/http/summaries");
  return {
    tunnels: tunnels.map(({ name, config }) => ({ name, config })),
    configured: configured.map(({ name, state }) => ({ name, state })),
    requests: requests.map(({ id }) => id),
  };
}

const tunnel = JSON.stringify({ name: "stolen", proto: "http", addr: "22" });

it("cannot start, stop, delete or replay with fetch, in any mode and with any content type", async () => {
  const outcomes = await page.evaluate(
    async ([host, body, captured]) => {
      const tries: [string, string, RequestInit][] = [];
      for (const mode of ["no-cors", "cors"] as const) {
        for (const type of [
          "text/plain",
          "application/x-www-form-urlencoded",
          "multipart/form-data; boundary=x",
          "application/json",
        ]) {
          tries.push([
            `${mode} ${type}`,
            "/api/tunnels",
            { method: "POST", mode, body, headers: { "Content-Type": type } },
          ]);
        }
        tries.push([`${mode} bare`, "/api/tunnels", { method: "POST", mode, body: new Blob([body ?? ""]) }]);
        tries.push([
          `${mode} replay`,
          "/api/requests/http",
          { method: "POST", mode, body: JSON.stringify({ id: captured }) },
        ]);
        tries.push([`${mode} start`, "/api/configured/guarded/stop", { method: "POST", mode, body: "{}" }]);
        tries.push([`${mode} read`, "/api/requests/http", { mode, credentials: "include" }]);
      }
      tries.push(["delete", "/api/requests/http", { method: "DELETE" }]);
      tries.push(["delete tunnel", "/api/tunnels/guarded", { method: "DELETE" }]);
      tries.push([
        "put",
        "/api/configured/stolen",
        {
          method: "PUT",
          body: '{"proto":"http","addr":22}',
          headers: { "Content-Type": "application/json" },
        },
      ]);
      const read: string[] = [];
      for (const [name, path, init] of tries) {
        try {
          const answer = await fetch(`http://${host}${path}`, init);
          const text = await answer.text();
          if (answer.type !== "opaque" || text !== "") read.push(`${name}: ${answer.status} ${text}`);
        } catch {
          // Refused by the browser, as it should be.
        }
      }
      navigator.sendBeacon(`http://${host}/api/tunnels`, new Blob([body ?? ""], { type: "text/plain" }));
      return read;
    },
    [agent, tunnel, (await stand()).requests[0] ?? ""],
  );
  expect(outcomes, "nothing can be read").toEqual([]);
});

it("cannot post a form that looks like JSON", async () => {
  const home = page.url();
  for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
    const own = await page.context().newPage();
    await own.goto(home);
    const answer = own.waitForResponse(
      (response) => response.request().isNavigationRequest() && response.url().includes("/api/tunnels"),
    );
    await own.evaluate(
      ([host, type]) => {
        const form = document.createElement("form");
        Object.assign(form, { action: `http://${host}/api/tunnels`, method: "post", enctype: type });
        const field = document.createElement("input");
        // As text/plain this gives {"name":"stolen","proto":"http","addr":"22","x":"="}.
        field.name = '{"name":"stolen","proto":"http","addr":"22","x":"';
        field.value = '"}';
        form.append(field);
        document.body.append(form);
        form.submit();
      },
      [agent, enctype],
    );
    expect((await answer).status(), enctype).toBeGreaterThanOrEqual(400);
    await own.close();
  }
});

it("cannot listen to the live feed or open a socket", async () => {
  const heard = await page.evaluate(
    (host) =>
      Promise.all([
        new Promise<string>((done) => {
          const feed = new EventSource(`http://${host}/api/events`);
          feed.onopen = () => done("feed opened");
          feed.addEventListener("status", () => done("feed heard"));
          feed.onerror = () => done("refused");
        }),
        new Promise<string>((done) => {
          const socket = new WebSocket(`ws://${host}/api/events`);
          socket.onopen = () => done("socket opened");
          socket.onerror = () => done("refused");
        }),
      ]),
    agent,
  );
  expect(heard).toEqual(["refused", "refused"]);
});

it("cannot read through images, scripts, styles or frames", async () => {
  const loaded = await page.evaluate(async (host) => {
    const outcomes: string[] = [];
    for (const [tag, attribute] of [
      ["img", "src"],
      ["script", "src"],
      ["link", "href"],
    ] as const) {
      for (const path of ["/api/status", "/api/requests/http", "/"]) {
        outcomes.push(
          await new Promise<string>((done) => {
            const element = document.createElement(tag);
            if (tag === "link") element.setAttribute("rel", "stylesheet");
            element.onload = () => done(`${tag} ${path} loaded`);
            element.onerror = () => done("refused");
            element.setAttribute(attribute, `http://${host}${path}`);
            document.head.append(element);
          }),
        );
      }
    }
    const frame = document.createElement("iframe");
    frame.src = `http://${host}/`;
    const framed = new Promise((done) => (frame.onload = done));
    document.body.append(frame);
    await framed;
    let inside = "";
    try {
      inside = frame.contentDocument?.body.textContent ?? "";
    } catch {
      // Another origin.
    }
    if (inside !== "") outcomes.push(`frame read ${inside}`);
    return outcomes.filter((outcome) => outcome !== "refused");
  }, agent);
  expect(loaded).toEqual([]);
});

it("cannot come in under another address of this machine", async () => {
  const port = agent.split(":").at(-1);
  const read = await page.evaluate(async (at) => {
    const seen: string[] = [];
    for (const host of ["0.0.0.0", "127.0.0.2", "[::ffff:127.0.0.1]", "localhost"]) {
      try {
        const answer = await fetch(`http://${host}:${at}/api/status`);
        seen.push(`${host}: ${await answer.text()}`);
      } catch {
        // Refused.
      }
    }
    return seen;
  }, port);
  expect(read).toEqual([]);
});

it("cannot come in under a name of its own that leads here", async () => {
  const port = agent.split(":").at(-1);
  const rebound = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--host-resolver-rules=MAP evil.example 127.0.0.1"],
  });
  const evil = await rebound.newPage();
  for (const path of ["/", "/index.html", "/api/status", "/api/events", "/api/requests/http"]) {
    const answer = await evil.goto(`http://evil.example:${port}${path}`);
    expect(answer?.status(), path).toBe(403);
  }
  await rebound.close();
});
