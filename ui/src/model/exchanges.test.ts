import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Exchanges } from "./exchanges";
import { sample } from "./sample";
import { ExchangeView } from "./exchangeView";

const ids = (view: ExchangeView) => Array.from({ length: view.count }, (_, row) => view.at(row)?.id);

function opened(ring: Exchanges): ExchangeView {
  const view = new ExchangeView(ring);
  view.open(() => {});
  return view;
}

const posts = (summary: { method: string }) => summary.method === "POST";
const summaries = (some: readonly { id: number; post: boolean; pinned: boolean }[]) =>
  some.map(({ id, post, pinned }) => sample(String(id), { method: post ? "POST" : "GET", pinned }));

describe("the exchanges", () => {
  it("are found by id, and the oldest are forgotten when there are too many", () => {
    const ring = new Exchanges(100);
    ring.put(Array.from({ length: 101 }, (_, number) => sample(String(number))));
    expect(ring.size).toBe(99);
    expect(ring.find("1")).toBeUndefined();
    expect(ring.find("100")?.id).toBe("100");
  });

  it("are brought up to date in their place", () => {
    const ring = new Exchanges();
    ring.put([sample("a", { status_code: null }), sample("b"), sample("a", { status_code: 201 })]);
    expect(ring.size).toBe(2);
    expect(ring.find("a")?.status_code).toBe(201);
  });

  it("make room as the agent's store does: the oldest first, pinned ones last", () => {
    const ring = new Exchanges();
    const view = opened(ring);
    ring.put([sample("a", { pinned: true }), sample("b"), sample("c"), sample("d")]);
    ring.evictTo(2);
    expect(ids(view)).toEqual(["d", "a"]);
    ring.put([sample("e")]);
    ring.evictTo(1);
    expect(ids(view)).toEqual(["a"]);
    ring.evictTo(0);
    expect(ids(view)).toEqual([]);
    expect(view.rowOf("a")).toBe(-1);
  });

  it("know the replays of each, also after evictions", () => {
    const ring = new Exchanges();
    ring.put([sample("a"), sample("r1", { replay_of: "a" }), sample("r2", { replay_of: "a" })]);
    expect(ring.replaysOf("a")).toEqual(["r1", "r2"]);
    ring.evictTo(1);
    expect(ring.replaysOf("a")).toEqual([]);
    expect(ring.find("r2")?.id).toBe("r2");
  });

  it("keep what arrived while the whole list was being read", () => {
    const ring = new Exchanges();
    ring.put([sample("stale")]);
    const mark = ring.next;
    ring.put([sample("new")]);
    ring.replaceAll([sample("b"), sample("a")], mark);
    ring.putOlder([sample("0"), sample("-1"), sample("a")]);
    expect(ids(opened(ring))).toEqual(["new", "b", "a", "0", "-1"]);
  });

  it("do not go back to a pending state that the list still has", () => {
    const ring = new Exchanges();
    ring.put([sample("a")]);
    ring.replaceAll([sample("a", { duration: null, status_code: null })], 0);
    expect(ring.find("a")?.status_code).toBe(200);
  });

  it("keep a text that many have once, and know the most frequent ones", () => {
    const ring = new Exchanges();
    ring.put([
      sample("a", { method: "GET" }),
      sample("b", { method: "POST" }),
      sample("c", { method: "POST" }),
    ]);
    expect(ring.texts.frequent("method", 5)).toEqual(["POST", "GET"]);
    ring.remove("a");
    expect(ring.texts.frequent("method", 5)).toEqual(["POST"]);
  });
});

describe("the newest exchange of a tunnel", () => {
  it("is found by the name of the tunnel, with or without its protocol", () => {
    const ring = new Exchanges();
    ring.put([
      sample("a", { tunnel_name: "web (https)" }),
      sample("b", { tunnel_name: "web (http)" }),
      sample("c", { tunnel_name: "other (https)" }),
    ]);
    expect([ring.newestOf("web"), ring.newestOf("other"), ring.newestOf("none")]).toEqual([
      "b",
      "c",
      undefined,
    ]);
  });
});

describe("a view of the exchanges", () => {
  it("shows the newest first and follows the filter", () => {
    const ring = new Exchanges();
    const view = opened(ring);
    ring.put([sample("a", { method: "POST" }), sample("b"), sample("c", { method: "POST" })]);
    view.setFilter(posts);
    expect(ids(view)).toEqual(["c", "a"]);
    ring.put([sample("d", { method: "POST" })]);
    ring.put([sample("b", { method: "POST" })]);
    expect(ids(view)).toEqual(["d", "c", "b", "a"]);
    expect(view.rowOf("b")).toBe(2);
  });

  it("moves no row while it is held and counts what waits", () => {
    const ring = new Exchanges();
    const view = opened(ring);
    ring.put([sample("a")]);
    view.hold();
    ring.put([sample("b"), sample("c")]);
    ring.putOlder([sample("0")]);
    expect(ids(view)).toEqual(["a", "0"]);
    expect(view.waiting).toBe(2);
    expect(view.rowOf("c")).toBe(-1);
    view.release();
    expect(ids(view)).toEqual(["c", "b", "a", "0"]);
  });

  it("always equals a filter over everything kept", () => {
    const request = fc.record({
      id: fc.integer({ min: 0, max: 30 }),
      post: fc.boolean(),
      pinned: fc.boolean(),
    });
    const step = fc.oneof(
      fc.record({ put: fc.array(request, { minLength: 1, maxLength: 6 }) }),
      fc.record({ older: fc.array(request, { maxLength: 3 }) }),
      fc.record({ remove: fc.integer({ min: 0, max: 30 }) }),
      fc.record({ evictTo: fc.integer({ min: 0, max: 20 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const ring = new Exchanges(20);
        const view = opened(ring);
        view.setFilter(posts);
        for (const each of steps) {
          if ("put" in each) ring.put(summaries(each.put));
          else if ("older" in each) ring.putOlder(summaries(each.older));
          else if ("remove" in each) ring.remove(String(each.remove));
          else ring.evictTo(each.evictTo);
        }
        expect(ring.size).toBe(ring.seqs().length);
        const expected = ring
          .seqs()
          .toReversed()
          .map((seq) => ring.at(seq))
          .filter((summary) => summary?.method === "POST")
          .map((summary) => summary?.id);
        expect(ids(view)).toEqual(expected);
        expected.forEach((id, row) => expect(view.rowOf(id ?? "")).toBe(row));
      }),
    );
  });
});
