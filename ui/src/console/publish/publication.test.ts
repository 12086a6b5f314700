// Carrying out a publication: failures midway, lost responses, changed answers, reloads and removal.
import { beforeEach, describe, expect, it } from "vitest";
import { ApiError } from "../../api/problem";
import type { ManagementApi } from "../../api/management";
import { planOf, type Answers } from "./plan";
import { Publication, type PublicationStorage } from "./publication";

/** A server that keeps records; `fails` is thrown by the next call that matches, `isLost` after the call took effect. */
class Server {
  records = new Map<string, Record<string, unknown>>();
  calls: string[] = [];
  failing: { call: RegExp; thrown: ApiError; isLost: boolean } | null = null;
  #next = 0;

  readonly api = {
    send: (method: string, path: string, body?: unknown) => this.#send(method, path, body),
    list: async ({ path }: { path: string }, { search }: { search: string }) => ({
      records: [...this.records.entries()]
        .filter(([at, record]) => at.startsWith(`${path}/`) && JSON.stringify(record).includes(search))
        .map(([, record]) => record),
      next: null,
    }),
  } as unknown as ManagementApi;

  fail(call: RegExp, status: number, isLost = false): void {
    this.failing = { call, thrown: new ApiError("CODE", "No.", status, { field: "labels" }), isLost };
  }

  async #send(method: string, path: string, body: unknown): Promise<unknown> {
    this.calls.push(`${method} ${path}`);
    const failing = this.failing?.call.test(`${method} ${path}`) ? this.failing : null;
    if (failing) this.failing = null;
    if (failing && !failing.isLost) throw failing.thrown;
    const response = this.#apply(method, path, body);
    if (failing) throw failing.thrown;
    return response;
  }

  #apply(method: string, path: string, body: unknown): unknown {
    if (method === "POST") {
      const id = `id${(this.#next += 1)}`;
      const record = { ...(body as object), id };
      this.records.set(`${path}/${id}`, record);
      return record;
    }
    if (method === "GET") {
      const routes = [...this.records].flatMap(([at, record]) =>
        at.startsWith(`${path}/routes/`) ? [record] : [],
      );
      return { ...this.records.get(path), routes };
    }
    if (!this.records.delete(path)) throw new ApiError("GONE", "There is none.", 404);
    for (const at of this.records.keys()) if (at.startsWith(`${path}/`)) this.records.delete(at);
    return null;
  }
}

class Memory implements PublicationStorage {
  text: string | null = null;
  read = () => (this.text === null ? null : (JSON.parse(this.text) as object));
  write = (state: object | null) => {
    this.text = state && JSON.stringify(state);
  };
}

let server: Server;
let memory: Memory;
let publication: Publication;

beforeEach(() => {
  server = new Server();
  memory = new Memory();
  publication = new Publication(memory);
});

const plan = (changes: Partial<Answers> = {}, of = publication) =>
  planOf(
    {
      hostport: "shop.example.com:443",
      target: { kind: "tunnels", labels: { app: "shop" } },
      protection: { kind: "everyone" },
      publication: of.state.publication,
      ...changes,
    },
    { groups: [], addresses: [] },
  );
const create = (changes?: Partial<Answers>) => publication.create(server.api, plan(changes), () => {});
const undo = () => publication.undo(server.api, () => {});
const madeKeys = () => publication.state.made.map(({ key }) => key);

it("creates everything, and leaves nothing in the storage", async () => {
  publication.edit({ name: "shop" });
  expect(memory.text).toContain("shop");
  await create();
  expect(publication.state.phase).toBe("published");
  expect(server.calls).toEqual([
    "POST /edges/https",
    "POST /backends/tunnel_group",
    "POST /edges/https/id1/routes",
  ]);
  expect(server.records.get("/edges/https/id1/routes/id3")).toMatchObject({ backend: { backend_id: "id2" } });
  expect(memory.text).toBeNull();
  publication.leave();
  expect(publication.state).toMatchObject({ phase: "editing", edited: {}, made: [] });
});

it("says which collections change", async () => {
  const changed: string[] = [];
  await publication.create(server.api, plan(), (path) => changed.push(path));
  expect(changed).toEqual(["/edges/https", "/backends/tunnel_group", "/edges/https"]);
});

it("is still being filled in after a refusal that left nothing behind", async () => {
  server.fail(/POST .edges/, 400);
  await create();
  expect(publication.state).toMatchObject({
    phase: "stopped",
    made: [],
    uncertain: null,
    failure: { key: "edge", verb: "created", member: "labels", message: "No." },
  });
  publication.edit({ name: "tea" });
  expect(publication.state).toMatchObject({ phase: "editing", failure: null });
});

describe("after a failure midway", () => {
  beforeEach(async () => {
    server.fail(/tunnel_group/, 400);
    await create();
    expect(publication.state).toMatchObject({ phase: "stopped", failure: { key: "group" } });
    expect(madeKeys()).toEqual(["edge"]);
  });

  it("continues where it stopped", async () => {
    await create();
    expect(publication.state.phase).toBe("published");
    expect(server.calls.filter((call) => call === "POST /edges/https")).toHaveLength(1);
    expect(server.records.size).toBe(3);
  });

  it("continues with changed answers, and removes what they no longer need", async () => {
    publication.edit({ name: "tea" });
    expect(publication.state.phase).toBe("stopped");
    await create({ hostport: "tea.example.com:443" });
    expect(publication.state.phase).toBe("published");
    expect(server.calls).toContain("DELETE /edges/https/id1");
    expect([...server.records.values()].map(({ hostports }) => hostports).filter(Boolean)).toEqual([
      ["tea.example.com:443"],
    ]);
  });

  it("removes what was created, and keeps the input", async () => {
    publication.edit({ name: "shop" });
    expect(await undo()).toBe(true);
    expect(server.records.size).toBe(0);
    expect(publication.state).toMatchObject({ phase: "editing", edited: { name: "shop" }, made: [] });
  });

  it("counts what is gone already as removed", async () => {
    server.records.clear();
    expect(await undo()).toBe(true);
  });

  it("says what could not be removed, and tries again", async () => {
    server.fail(/DELETE/, 500);
    expect(await undo()).toBe(false);
    expect(publication.state).toMatchObject({ phase: "stopped", failure: { key: "edge", verb: "removed" } });
    expect(madeKeys()).toEqual(["edge"]);
    expect(await undo()).toBe(true);
  });

  it("is known after a reload, and can be completed", async () => {
    publication.edit({ name: "shop" });
    publication = new Publication(memory);
    expect(publication.state).toMatchObject({ phase: "stopped", isRestored: true, edited: { name: "shop" } });
    expect(madeKeys()).toEqual(["edge"]);
    await create();
    expect(publication.state.phase).toBe("published");
    expect(server.records.size).toBe(3);
  });

  it("stays known when the key is removed", () => {
    publication.lock(false);
    expect(madeKeys()).toEqual(["edge"]);
  });
});

describe("a response that is lost", () => {
  it.each([
    ["an edge", /POST .edges.https$/],
    ["a backend", /tunnel_group/],
    ["a route", /routes$/],
  ])("of %s is looked for before it is created again", async (_, call) => {
    server.fail(call, 0, true);
    await create();
    expect(publication.state.phase).toBe("stopped");
    expect(publication.state.uncertain).not.toBeNull();
    await create();
    expect(publication.state).toMatchObject({ phase: "published", uncertain: null });
    expect(server.records.size).toBe(3);
  });

  it("leads to a removal of what it created", async () => {
    server.fail(/tunnel_group/, 503, true);
    await create();
    expect(await undo()).toBe(true);
    expect(server.records.size).toBe(0);
  });

  it("of a call without effect leads to another one", async () => {
    server.fail(/tunnel_group/, 0);
    await create();
    await create();
    expect(publication.state.phase).toBe("published");
    expect(server.records.size).toBe(3);
  });

  it("is remembered when the page was reloaded meanwhile", async () => {
    const reloaded = await new Promise<string | null>((done) => {
      const { send } = server.api;
      server.api.send = async (...call) => {
        const response = await send(...call);
        if (call[1].includes("tunnel_group")) done(memory.text);
        return response;
      };
      void create();
    });
    memory.text = reloaded;
    publication = new Publication(memory);
    expect(publication.state).toMatchObject({ phase: "stopped", uncertain: { key: "group" } });
    expect(await undo()).toBe(true);
    expect([...server.records.keys()].filter((path) => path.startsWith("/backends"))).toEqual([]);
  });
});

it("does not begin twice at the same time, and does not change meanwhile", async () => {
  publication.edit({ name: "shop" });
  const both = Promise.all([create(), create()]);
  publication.edit({ name: "tea" });
  await both;
  expect(server.records.size).toBe(3);
  expect(publication.state.edited).toEqual({ name: "shop" });
});

it("forgets what was typed when the key is removed, and keeps it for the next one when it was refused", () => {
  publication.edit({ name: "shop" });
  publication.lock(true);
  expect(publication.state).toMatchObject({ edited: { name: "shop" }, isRestored: true });
  publication.lock(false);
  expect(publication.state.edited).toEqual({});
  expect(memory.text).toBeNull();
});
