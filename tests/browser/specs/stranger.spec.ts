// A page of another site, open in the same browser, tries everything a page can do against the agent:
// nothing changes, nothing can be read. The agent has no login, so this is its lock.
import { chromium, type Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, testWithWorld } from "../kit/fixtures";
import type { World } from "../kit/world";

interface Scene {
  /** The host and port of an agent that has a tunnel and a captured request. */
  agent: string;
  /** The address of the other site. */
  home: string;
}

const test = testWithWorld().extend<{ page: Page; unchanged: void }, { scene: Scene }>({
  scene: [
    async ({ world }, use) => {
      const url = await world.publish("guarded");
      await world.visit(`${url}/captured`);
      const stranger = createServer((_request, response) => {
        response.writeHead(200, { "Content-Type": "text/html" });
        response.end("<!doctype html><title>stranger</title>");
      });
      await new Promise<void>((listening) => stranger.listen(0, "127.0.0.1", listening));
      const { port } = stranger.address() as AddressInfo;
      await use({ agent: new URL(world.url).host, home: `http://localhost:${port}/` });
      stranger.closeAllConnections();
      stranger.close();
    },
    { scope: "worker" },
  ],
  /** Of the stranger. What goes wrong in it is what is wanted. */
  page: async ({ browser, scene }, use) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(scene.home);
    await use(page);
    await context.close();
  },
  unchanged: [
    async ({ world, scene: _ }, use) => {
      const before = await stand(world);
      await use();
      expect(await stand(world), "tunnels and captured requests are as they were").toEqual(before);
    },
    { auto: true },
  ],
});

async function stand(world: World) {
  const { tunnels } = await world.api<{ tunnels: { name: string; config: unknown }[] }>(
    "GET",
    "/api/tunnels",
  );
  const { tunnels: configured } = await world.api<{ tunnels: { name: string; state: string }[] }>(
    "GET",
    "/api/configured",
  );
  const { requests } = await world.api<{ requests: { id: string; pinned: boolean; note: string | null }[] }>(
    "GET",
    "/api/requests/http/summaries",
  );
  return {
    tunnels: tunnels.map(({ name, config }) => ({ name, config })),
    configured: configured.map(({ name, state }) => ({ name, state })),
    requests: requests.map(({ id, pinned, note }) => ({ id, pinned, note })),
  };
}

const tunnel = JSON.stringify({ name: "stolen", proto: "http", addr: "22" });

/** Every call of the local API, `:id` being a captured request: method, path, and a body that would do something. */
const CALLS: [string, string, string?][] = [
  ["GET", "/api"],
  ["GET", "/api/"],
  ["GET", "/api/openapi.json"],
  ["GET", "/api/status"],
  ["GET", "/api/events"],
  ["GET", "/api/events?since=00000001-1"],
  ["GET", "/api/tunnels"],
  ["POST", "/api/tunnels", tunnel],
  ["GET", "/api/tunnels/guarded"],
  ["DELETE", "/api/tunnels/guarded"],
  ["GET", "/api/endpoints"],
  ["POST", "/api/endpoints", '{"name":"stolen","upstream":{"url":22}}'],
  ["GET", "/api/endpoints/guarded"],
  ["PUT", "/api/endpoints/guarded", '{"upstream":{"url":22}}'],
  ["DELETE", "/api/endpoints/guarded"],
  ["GET", "/api/configured"],
  ["PUT", "/api/configured/stolen", '{"proto":"http","addr":22}'],
  ["PUT", "/api/configured/guarded", '{"proto":"http","addr":22}'],
  ["DELETE", "/api/configured/guarded"],
  ["POST", "/api/configured/guarded/start", "{}"],
  ["POST", "/api/configured/guarded/stop", "{}"],
  ["POST", "/api/configured/guarded/sample", "{}"],
  ["GET", "/api/configuration"],
  ["PUT", "/api/configuration", '{"text":"version: 2","revision":"0"}'],
  ["POST", "/api/configuration/check", '{"text":"version: 2","revision":"0"}'],
  ["GET", "/api/ports"],
  ["GET", "/api/ports/22"],
  ["POST", "/api/diagnosis", "{}"],
  ["GET", "/api/requests/http"],
  ["GET", "/api/requests/http?limit=1&filter=status:200"],
  ["GET", "/api/requests/http/summaries"],
  ["POST", "/api/requests/http", '{"id":":id"}'],
  ["POST", "/api/requests/http", '{"id":":id","through":"edge"}'],
  ["DELETE", "/api/requests/http"],
  ["GET", "/api/requests/http/:id"],
  ["PATCH", "/api/requests/http/:id", '{"pinned":true,"note":"stolen"}'],
  ["DELETE", "/api/requests/http/:id"],
  ["GET", "/api/requests/http/:id/request/body"],
  ["GET", "/api/requests/http/:id/response/body"],
  ["GET", "/api/requests/http/:id/response/body?as=wire"],
  ["GET", "/api/requests/http/:id/frames"],
  ["GET", "/api/requests/http/:id/curl?secrets=show"],
  ["GET", "/api/requests/har?secrets=show"],
  [
    "POST",
    "/api/requests/har",
    '{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[]}}',
  ],
];

/** The same for one captured request, each path once for what can only read. */
async function calls(world: World): Promise<[string, string, string?][]> {
  const id = (await stand(world)).requests[0]?.id ?? "";
  expect(id).not.toBe("");
  return CALLS.map(([method, path, body]) => [method, path.replace(":id", id), body?.replace(":id", id)]);
}

test("knows every path that is described", async () => {
  const described = readFileSync(join(import.meta.dirname, "../../../docs/local-api.md"), "utf8");
  const paths = [...described.matchAll(/`[^`]*?(\/api\/[a-z/:.]*|…\/[a-z/:]+)/g)].map(
    ([, path = ""]) => path,
  );
  const tried = CALLS.map(([, path]) =>
    path
      .replace(/\?.*/, "")
      .replace(/\/(guarded|stolen)/, "/:name")
      .replace("/22", "/:port"),
  );
  const missing = [...new Set(paths)].filter(
    (path) => !tried.some((one) => (path.startsWith("…") ? one.endsWith(path.slice(1)) : one === path)),
  );
  expect(paths.length).toBeGreaterThan(15);
  expect(missing).toEqual([]);
});

test("can do nothing with any call, by fetch in any mode", async ({ page, world, scene }) => {
  const read = await page.evaluate(
    async ([host, tries]) => {
      const read: string[] = [];
      const types = ["application/json", "text/plain", "application/x-www-form-urlencoded", undefined];
      for (const [method, path, body] of tries) {
        for (const mode of ["cors", "no-cors"] as const) {
          for (const type of body === undefined ? [undefined] : types) {
            const abort = AbortSignal.timeout(5000);
            const init: RequestInit = {
              method,
              mode,
              credentials: "include",
              redirect: "follow",
              signal: abort,
            };
            if (body !== undefined) init.body = type === undefined ? new Blob([body]) : body;
            if (type !== undefined) init.headers = { "Content-Type": type };
            try {
              const answer = await fetch(`http://${host}${path}`, init);
              const text = await answer.text();
              if (answer.type !== "opaque" || text !== "") read.push(`${mode} ${method} ${path}: ${text}`);
            } catch {
              // Refused.
            }
          }
        }
      }
      return read;
    },
    [scene.agent, await calls(world)] as const,
  );
  expect(read, "nothing can be read").toEqual([]);
});

test("can do nothing with any path, by forms, beacons, sockets, feeds, frames and elements", async ({
  page,
  world,
  scene,
}) => {
  test.setTimeout(180_000);
  const paths = [...new Set((await calls(world)).map(([, path]) => path))];
  const statuses: string[] = [];
  page.on("response", (response) => {
    if (response.request().isNavigationRequest() && response.status() < 400)
      statuses.push(`${response.request().method()} ${response.url()}: ${response.status()}`);
  });
  const sent = await page.evaluate(
    async ([host, all]) => {
      let sent = 0;
      for (const path of all) {
        for (const [method, enctype] of [
          ["get", "application/x-www-form-urlencoded"],
          ["post", "text/plain"],
          ["post", "application/x-www-form-urlencoded"],
          ["post", "multipart/form-data"],
        ] as const) {
          const frame = document.createElement("iframe");
          frame.name = `frame${(sent += 1)}`;
          document.body.append(frame);
          const form = document.createElement("form");
          Object.assign(form, { action: `http://${host}${path}`, method, enctype, target: frame.name });
          document.body.append(form);
          // An answer that may not be framed is loaded as an empty page.
          const loaded = new Promise((over) => (frame.onload = over));
          form.submit();
          await loaded;
          frame.remove();
        }
      }
      return sent;
    },
    [scene.agent, paths] as const,
  );
  expect(sent).toBe(4 * paths.length);
  expect(statuses, "every form is refused").toEqual([]);
  const done = await page.evaluate(
    async ([host, all]) => {
      const done: string[] = [];
      // Who hears nothing for this long has got nothing.
      const patience = 10_000;
      const tries: Promise<void>[] = [];
      const once = (what: string, begin: (yes: () => void, no: () => void) => void) =>
        tries.push(
          new Promise<void>((over) => {
            begin(
              () => (done.push(what), over()),
              () => over(),
            );
            setTimeout(over, patience);
          }),
        );
      for (const path of all) {
        const url = `http://${host}${path}`;
        navigator.sendBeacon(url, new Blob(["{}"], { type: "text/plain" }));
        once(`feed ${path}`, (yes, no) => {
          const feed = new EventSource(url, { withCredentials: true });
          feed.onopen = yes;
          feed.onerror = () => (feed.close(), no());
        });
        once(`socket ${path}`, (yes, no) => {
          const socket = new WebSocket(url.replace("http:", "ws:"));
          socket.onopen = yes;
          socket.onerror = no;
        });
        for (const [tag, attribute] of [
          ["img", "src"],
          ["script", "src"],
          ["link", "href"],
          ["video", "src"],
          ["object", "data"],
        ] as const) {
          once(`${tag} ${path}`, (yes, no) => {
            const element = document.createElement(tag);
            if (tag === "link") element.setAttribute("rel", "stylesheet");
            element.addEventListener(tag === "video" ? "loadedmetadata" : "load", yes);
            element.addEventListener("error", no);
            element.setAttribute(attribute, url);
            document.body.append(element);
          });
        }
      }
      await Promise.all(tries);
      return done;
    },
    [scene.agent, paths] as const,
  );
  expect(done, "nothing opens or loads").toEqual([]);
});

test("cannot start, stop, delete or replay with fetch, in any mode and with any content type", async ({
  page,
  world,
  scene,
}) => {
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
    [scene.agent, tunnel, (await stand(world)).requests[0]?.id ?? ""],
  );
  expect(outcomes, "nothing can be read").toEqual([]);
});

test("cannot post a form that looks like JSON", async ({ page, scene }) => {
  for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
    const own = await page.context().newPage();
    await own.goto(scene.home);
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
      [scene.agent, enctype],
    );
    expect((await answer).status(), enctype).toBeGreaterThanOrEqual(400);
    await own.close();
  }
});

test("cannot listen to the live feed or open a socket", async ({ page, scene }) => {
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
    scene.agent,
  );
  expect(heard).toEqual(["refused", "refused"]);
});

test("cannot read through images, scripts, styles or frames", async ({ page, scene }) => {
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
  }, scene.agent);
  expect(loaded).toEqual([]);
});

test("cannot come in under another address of this machine", async ({ page, scene }) => {
  const port = scene.agent.split(":").at(-1);
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

test("cannot come in under a name of its own that leads here", async ({ world, scene, launchOptions }) => {
  const port = scene.agent.split(":").at(-1);
  const rebound = await chromium.launch({
    ...launchOptions,
    args: [...(launchOptions.args ?? []), "--host-resolver-rules=MAP evil.example 127.0.0.1"],
  });
  const evil = await rebound.newPage();
  for (const path of ["/", "/index.html", "/status", ...(await calls(world)).map(([, path]) => path)]) {
    const answer = await evil.goto(`http://evil.example:${port}${path}`);
    expect(answer?.status(), path).toBe(403);
  }
  // The page is of the agent's own origin now, as the browser sees it: only the agent can tell.
  const statuses = await evil.evaluate(
    async (tries) => {
      const statuses: string[] = [];
      for (const [method, path, body] of tries) {
        const init: RequestInit = { method };
        if (body !== undefined)
          Object.assign(init, { body, headers: { "Content-Type": "application/json" } });
        const answer = await fetch(path, init);
        if (answer.status !== 403) statuses.push(`${method} ${path}: ${answer.status}`);
      }
      return statuses;
    },
    await calls(world),
  );
  expect(statuses).toEqual([]);
  await rebound.close();
});
