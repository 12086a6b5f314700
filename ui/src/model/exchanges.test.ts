import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Exchanges } from "./exchanges";
import { sample } from "./sample";
import { ExchangeView } from "./view";

const ids = (view: ExchangeView) => Array.from({ length: view.count }, (_, row) => view.at(row)?.id);

function opened(ring: Exchanges): ExchangeView {
  const view = new ExchangeView(ring);
  view.open(() => {});
  return view;
}

describe("the ring of exchanges", () => {
  it("finds by id and forgets the oldest when it is full", () => {
    const ring = new Exchanges(3);
    for (const id of ["a", "b", "c", "d"]) ring.put(sample(id));
    expect(ring.size).toBe(3);
    expect(ring.find("a")).toBeUndefined();
    expect(ring.find("d")?.id).toBe("d");
  });

  it("brings a known exchange up to date in its place", () => {
    const ring = new Exchanges(10);
    ring.put(sample("a", { status_code: null }));
    ring.put(sample("b"));
    ring.put(sample("a", { status_code: 201 }));
    expect(ring.size).toBe(2);
    expect(ring.find("a")?.status_code).toBe(201);
  });

  it("knows the replays of an exchange, also after evictions", () => {
    const ring = new Exchanges(3);
    ring.put(sample("a"));
    ring.put(sample("r1", { replay_of: "a" }));
    ring.put(sample("r2", { replay_of: "a" }));
    expect(ring.replaysOf("a")).toEqual(["r1", "r2"]);
    ring.put(sample("x"));
    ring.put(sample("y"));
    expect(ring.replaysOf("a")).toEqual([]);
    expect(ring.find("r2")?.id).toBe("r2");
  });

  it("keeps what arrived while the whole list was being read", () => {
    const ring = new Exchanges(10);
    ring.put(sample("stale"));
    const mark = ring.next;
    ring.put(sample("new"));
    ring.replaceAll([sample("b"), sample("a")], mark);
    const view = opened(ring);
    expect(ids(view)).toEqual(["new", "b", "a"]);
  });

  it("does not go back to a pending state that the list still has", () => {
    const ring = new Exchanges(10);
    ring.put(sample("a"));
    ring.replaceAll([sample("a", { duration: null, status_code: null })], 0);
    expect(ring.find("a")?.status_code).toBe(200);
  });
});

describe("a view of the exchanges", () => {
  it("shows the newest first and follows the filter", () => {
    const ring = new Exchanges(10);
    const view = opened(ring);
    ring.put(sample("a", { method: "POST" }));
    ring.put(sample("b"));
    ring.put(sample("c", { method: "POST" }));
    view.setFilter((summary) => summary.method === "POST");
    expect(ids(view)).toEqual(["c", "a"]);
    ring.put(sample("d", { method: "POST" }));
    ring.put(sample("b", { method: "POST" }));
    expect(ids(view)).toEqual(["d", "c", "b", "a"]);
    expect(view.rowOf("b")).toBe(2);
  });

  it("moves no row while it is held and counts what waits", () => {
    const ring = new Exchanges(10);
    const view = opened(ring);
    ring.put(sample("a"));
    view.hold();
    ring.put(sample("b"));
    ring.put(sample("c"));
    expect(ids(view)).toEqual(["a"]);
    expect(view.waiting).toBe(2);
    expect(view.rowOf("c")).toBe(-1);
    view.release();
    expect(ids(view)).toEqual(["c", "b", "a"]);
  });

  it("always equals a filter over everything kept", () => {
    const step = fc.record({ id: fc.integer({ min: 0, max: 30 }), post: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const ring = new Exchanges(7);
        const view = opened(ring);
        view.setFilter((summary) => summary.method === "POST");
        for (const { id, post } of steps) ring.put(sample(String(id), { method: post ? "POST" : "GET" }));
        const expected: string[] = [];
        for (let seq = ring.next - 1; seq >= ring.first; seq -= 1) {
          const summary = ring.at(seq);
          if (summary?.method === "POST") expected.push(summary.id);
        }
        expect(ids(view)).toEqual(expected);
        expected.forEach((id, row) => expect(view.rowOf(id)).toBe(row));
      }),
    );
  });
});
