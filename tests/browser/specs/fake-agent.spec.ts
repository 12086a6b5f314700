// The stand-in for the agent is held against the real one: both answer the calls that the pages make with the same
// statuses and kinds of content, and with the members and types that the agent's description has, no more and no less.
import { eventMisfits, misfits } from "../kit/description";
import { FakeAgent } from "../kit/fake-agent";
import { expect, testWithWorld } from "../kit/fixtures";
import { externalAgent } from "../kit/world";

interface Asked {
  status: number;
  type: string | null;
  body: unknown;
}

/** An agent with a running tunnel `web`, a stopped one `idle`, and a captured request. */
interface Agent {
  url: string;
  /** The captured request. */
  id: string;
  /** Of the configuration. */
  revision: string;
  /** A port that something listens at. */
  port: number;
}

const test = testWithWorld().extend<{ both: [fake: Agent, real: Agent] }>({
  both: async ({ world }, use) => {
    const definition = { proto: "http", addr: world.site.port };
    const fake = await FakeAgent.start();
    fake.tunnel({ name: "web", definition, state: "running", public_url: "https://web.localhost:4443" });
    fake.tunnel({ name: "idle", definition });
    const { summary } = fake.captures({ path: "/captured", answer: "hello" });

    for (const name of ["web", "idle"]) await world.api("PUT", `/api/configured/${name}`, definition);
    await world.api("POST", "/api/configured/web/start", {});
    const running = async () =>
      (await world.api<{ tunnels: { public_url: string }[] }>("GET", "/api/tunnels")).tunnels;
    await expect.poll(running).toHaveLength(1);
    await world.visit(`${(await running())[0]?.public_url}/captured`);
    const captured = async () =>
      (await world.api<{ requests: { id: string; open: boolean }[] }>("GET", "/api/requests/http/summaries"))
        .requests;
    await expect.poll(captured).toMatchObject([{ open: false }]);
    const revision = async (url: string) =>
      ((await (await fetch(`${url}/api/configuration`)).json()) as { revision: string }).revision;
    await use([
      { url: fake.url, id: summary.id, port: 5173, revision: await revision(fake.url) },
      {
        url: world.url,
        id: (await captured())[0]?.id ?? "",
        port: world.site.port,
        revision: await revision(world.url),
      },
    ]);
    await fake.stop();
    for (const name of ["web", "idle", "new"])
      await world.api("DELETE", `/api/configured/${name}`).catch(() => {});
    await world.api("DELETE", "/api/requests/http");
  },
});

test.skip(externalAgent !== null, "tunnels of an agent that runs already are not touched");

async function ask(agent: Agent, method: string, path: string, body?: unknown): Promise<Asked> {
  const filled = path
    .replace("{id}", agent.id)
    .replace("{port}", String(agent.port))
    .replace("{name}", "idle");
  const answer = await fetch(`${agent.url}${filled}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  const text = await answer.text();
  const type = text === "" ? null : answer.headers.get("content-type");
  return { status: answer.status, type, body: text === "" ? null : JSON.parse(text) };
}

/** Method, path as it is described, body, and where the path differs from the described one the one that is asked. */
const CALLS: readonly [method: string, path: string, body?: unknown, asked?: string][] = [
  ["GET", "/api/status"],
  ["GET", "/api/configured"],
  ["GET", "/api/tunnels"],
  ["GET", "/api/ports"],
  ["GET", "/api/ports/{port}"],
  ["GET", "/api/configuration"],
  ["POST", "/api/configuration/check", { text: "version: 2\n", revision: "{revision}" }],
  ["POST", "/api/configuration/check", { text: "version: 2\nservr_addr: x\n", revision: "{revision}" }],
  ["PUT", "/api/configuration", { text: "version: 2\nservr_addr: x\n", revision: "{revision}" }],
  ["POST", "/api/diagnosis", {}],
  ["PUT", "/api/configured/{name}", { proto: "http", addr: 80 }, "/api/configured/new"],
  ["POST", "/api/configured/{name}/start", {}],
  ["POST", "/api/configured/{name}/stop", {}],
  ["POST", "/api/configured/{name}/sample", {}, "/api/configured/web/sample"],
  ["DELETE", "/api/configured/{name}"],
  ["GET", "/api/requests/http/summaries"],
  ["GET", "/api/requests/http/summaries", undefined, "/api/requests/http/summaries?limit=1"],
  ["GET", "/api/requests/http/{id}"],
  ["GET", "/api/requests/http/{id}", undefined, "/api/requests/http/{id}?raw=head"],
  ["POST", "/api/requests/http", { id: "{id}" }],
  ["DELETE", "/api/requests/http"],
  // What there is not, or no longer.
  ["POST", "/api/configuration/check", { text: "version: 2\n", revision: "0" }],
  ["PUT", "/api/configuration", { text: "version: 2\n", revision: "0" }],
  ["POST", "/api/configured/{name}/start", {}, "/api/configured/nothing/start"],
  ["DELETE", "/api/configured/{name}", undefined, "/api/configured/nothing"],
  ["GET", "/api/requests/http/{id}", undefined, "/api/requests/http/ffffffffffffffff"],
  ["POST", "/api/requests/http", { id: "ffffffffffffffff" }],
];

for (const [method, path, body, asked = path] of CALLS)
  test(`${method} ${asked}${body === undefined ? "" : ` ${JSON.stringify(body)}`}`, async ({ both }) => {
    const answers: Asked[] = [];
    for (const [at, agent] of both.entries()) {
      const given =
        body &&
        JSON.parse(JSON.stringify(body).replace("{id}", agent.id).replace("{revision}", agent.revision));
      const answer = await ask(agent, method, asked, given);
      const who = at === 0 ? "the stand-in" : "the agent";
      expect(misfits(method, path, answer.status, answer.body), `${who} answers as described`).toEqual([]);
      answers.push(answer);
    }
    const [fake, real] = answers;
    expect([fake?.status, fake?.type]).toEqual([real?.status, real?.type]);
  });

for (const side of ["request", "response"] as const)
  test(`a range of the body of a ${side}`, async ({ both }) => {
    const told: unknown[] = [];
    for (const { url, id } of both) {
      const answer = await fetch(`${url}/api/requests/http/${id}/${side}/body`, {
        headers: { Range: "bytes=0-3" },
      });
      const range = answer.headers.get("content-range")?.replace(/\d+$/, "");
      told.push([answer.status, answer.status === 206 ? answer.headers.get("content-type") : null, range]);
      await answer.arrayBuffer();
    }
    expect(told[0]).toEqual(told[1]);
  });

test("the feed begins with the status and the tunnels", async ({ both }) => {
  for (const { url } of both) {
    const leaving = new AbortController();
    const feed = await fetch(`${url}/api/events`, { signal: leaving.signal });
    expect(feed.headers.get("content-type")).toContain("text/event-stream");
    let text = "";
    for await (const part of feed.body ?? []) {
      text += Buffer.from(part).toString();
      if ((text.match(/\n\n/g) ?? []).length >= 2) break;
    }
    leaving.abort();
    const events = text
      .split("\n\n")
      .map((event) => [/^event: *(.*)$/m.exec(event)?.[1], /^data: *(.*)$/m.exec(event)?.[1]] as const)
      .filter((event): event is [string, string] => event[0] !== undefined && event[1] !== undefined);
    expect(events.slice(0, 2).map(([name]) => name)).toEqual(["status", "tunnels"]);
    for (const [name, data] of events) expect(eventMisfits(name, JSON.parse(data)), name).toEqual([]);
  }
});
