import { describe, expect, it, vi } from "vitest";
import type { AgentStatus, Summary } from "../api/types";
import type { FeedListener, Host } from "../host/host";
import { AgentModel } from "./agentModel";
import { sample } from "./sample";

const status: AgentStatus = {
  status: "online",
  agent_version: "0.1.0",
  session: {
    state: "online",
    server_addr: "localhost:4443",
    reason: null,
    next_try: null,
    attempt: 0,
    since: "2026-11-22T00:00:00Z",
    root_cas: null,
    legs: [],
  },
  web_addr: "127.0.0.1:4040",
  config_path: "postern.yml",
  pid: 1,
  capture: { bytes: 0, limit: 1, count: 100_000, dropped: 0, oldest: null },
};

/** An agent in memory: `kept` is newest first; while `down`, nothing answers. */
function agentWith(kept: Summary[]) {
  const told: { listener: FeedListener | null } = { listener: null };
  const agent = { kept, down: false, asked: [] as string[], told };
  const host: Host = {
    kind: "browser",
    agent: true,
    management: null,
    desktop: null,
    request: async (_method, path) => {
      agent.asked.push(path);
      if (agent.down) throw new Error("down");
      const url = new URL(path, "http://agent");
      if (url.pathname === "/api/status")
        return {
          status: 200,
          body: JSON.stringify({ ...status, capture: { ...status.capture, count: agent.kept.length } }),
        };
      if (url.pathname === "/api/configured") return { status: 200, body: '{"tunnels":[]}' };
      const before = url.searchParams.get("before");
      const from = before === null ? 0 : agent.kept.findIndex(({ id }) => id === before) + 1;
      const since = agent.kept.findIndex(({ id }) => id === url.searchParams.get("since"));
      const end = Math.min(from + Number(url.searchParams.get("limit")), since === -1 ? Infinity : since);
      const next = end < agent.kept.length && since === -1 ? (agent.kept[end - 1]?.id ?? null) : null;
      return { status: 200, body: JSON.stringify({ requests: agent.kept.slice(from, end), next }) };
    },
    bytes: () => Promise.reject(new Error("no bytes here")),
    feed: (listener) => {
      told.listener = listener;
      return () => {};
    },
    openInspector: async () => {},
    onInspectorTarget: () => () => {},
    openExternal: async () => {},
    download: async () => {},
    copyText: async () => {},
  };
  const model = new AgentModel(host);
  model.start();
  return { agent, model, feed: told.listener as unknown as FeedListener };
}

describe("what is known of the agent", () => {
  it("is read in pages when the feed opens", async () => {
    const { model, feed } = agentWith(Array.from({ length: 2300 }, (_, number) => sample(String(number))));
    feed.live();
    await vi.waitFor(() => expect(model.snapshot.connection).toBe("live"));
    await vi.waitFor(() => expect(model.snapshot.filling).toBe(false));
    expect(model.exchanges.size).toBe(2300);
    expect(model.exchanges.at(model.exchanges.next - 1)?.id).toBe("0");
  });

  it("keeps what the feed tells while the rest is read", async () => {
    const { model, feed } = agentWith([sample("old")]);
    feed.live();
    feed.event({ event: "request", data: sample("new") });
    await vi.waitFor(() => expect(model.snapshot.connection).toBe("live"));
    expect(model.exchanges.find("old")).toBeDefined();
    await vi.waitFor(() => expect(model.exchanges.find("new")).toBeDefined());
  });

  it("is read again after the feed was lost, and when another agent answers", async () => {
    const { agent, model, feed } = agentWith([sample("a")]);
    feed.live();
    await vi.waitFor(() => expect(model.snapshot.connection).toBe("live"));
    feed.lost();
    expect(model.snapshot.connection).toBe("lost");
    agent.kept = [sample("c")];
    feed.live();
    await vi.waitFor(() => expect(model.exchanges.find("c")).toBeDefined());
    expect(model.exchanges.find("a")).toBeUndefined();
    agent.kept = [];
    feed.event({ event: "status", data: { ...status, pid: 2 } });
    await vi.waitFor(() => expect(model.exchanges.size).toBe(0));
  });

  it("says that nothing answers, and tries again by itself", async () => {
    vi.useFakeTimers();
    const { agent, model, feed } = agentWith([]);
    agent.down = true;
    feed.live();
    await vi.waitFor(() => expect(model.snapshot.connection).toBe("lost"));
    agent.down = false;
    await vi.advanceTimersByTimeAsync(2_000);
    await vi.waitFor(() => expect(model.snapshot.connection).toBe("live"));
    vi.useRealTimers();
  });

  it("forgets the requests when they are deleted", async () => {
    const { model, feed } = agentWith([sample("a")]);
    feed.live();
    await vi.waitFor(() => expect(model.exchanges.size).toBe(1));
    feed.event({ event: "request_deleted", data: { id: "a" } });
    feed.event({ event: "request", data: sample("b") });
    await vi.waitFor(() => expect(model.exchanges.find("b")).toBeDefined());
    expect(model.exchanges.find("a")).toBeUndefined();
    feed.event({ event: "requests_deleted", data: {} });
    await vi.waitFor(() => expect(model.exchanges.size).toBe(0));
  });

  it("reads what it missed, as the agent says from where", async () => {
    const { agent, model, feed } = agentWith([sample("2"), sample("1")]);
    feed.live();
    await vi.waitFor(() => expect(model.snapshot.connection).toBe("live"));
    agent.kept = [sample("4"), sample("3", { status_code: 500 }), sample("2"), sample("1")];
    feed.event({ event: "requests_missed", data: { since: "2" } });
    await vi.waitFor(() => expect(model.exchanges.find("4")).toBeDefined());
    expect(model.exchanges.find("3")?.status_code).toBe(500);
    expect(agent.asked.at(-1)).toContain("since=2");
  });

  it("forgets what had to make room at the agent", async () => {
    const { model, feed } = agentWith([sample("3"), sample("2"), sample("1")]);
    feed.live();
    await vi.waitFor(() => expect(model.exchanges.size).toBe(3));
    feed.event({
      event: "status",
      data: { ...status, capture: { ...status.capture, count: 1, dropped: 2 } },
    });
    await vi.waitFor(() => expect(model.exchanges.size).toBe(1));
    expect(model.exchanges.find("3")).toBeDefined();
  });
});
