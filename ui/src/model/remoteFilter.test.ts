import { expect, it, vi } from "vitest";
import type { AgentApi, SummaryQuery } from "../api/agent";
import { ApiError } from "../api/problem";
import { RemoteFilter, type Progress } from "./remoteFilter";
import { Exchanges } from "./exchanges";
import { sample } from "./sample";

const id = (number: number) => number.toString(16).padStart(16, "0");

/** An agent that finds what has a note, in pages as small as they are asked for. */
function remote(exchanges: Exchanges, refuse = false) {
  const calls: SummaryQuery[] = [];
  const notified: Progress[] = [];
  const summaries = async (query: SummaryQuery) => {
    calls.push(query);
    if (refuse) throw new ApiError("ERR_POSTERN_8120", "No.", 400, { position: "6" });
    const all = exchanges
      .seqs()
      .map((seq) => exchanges.at(seq))
      .filter((summary) => summary !== undefined)
      .filter(({ id: one }) => one > (query.since ?? "") && one < (query.before ?? "g"))
      .toReversed();
    const found = all.filter(({ note }) => note);
    const page = found.slice(0, query.limit);
    return { requests: page, next: found.length > page.length ? (page.at(-1)?.id ?? null) : null };
  };
  const one = new RemoteFilter("body:x", { summaries } as unknown as AgentApi, exchanges, (_, progress) =>
    notified.push(progress),
  );
  const stop = one.start();
  const matching = () =>
    exchanges
      .seqs()
      .map((seq) => exchanges.at(seq))
      .filter((summary) => summary !== undefined && one.matches(summary))
      .map((summary) => summary?.id);
  return { calls, told: notified, stop, passing: matching };
}

it("is answered page by page, and asked again for what changes", async () => {
  const exchanges = new Exchanges();
  exchanges.put(
    Array.from({ length: 6000 }, (_, number) => sample(id(number + 1), { note: number % 2 ? "x" : null })),
  );
  const { calls, told: notified, stop, passing: matching } = remote(exchanges);
  await vi.waitFor(() => expect(notified.at(-1)?.done).toBe(1));
  expect(matching().length).toBe(3000);
  expect(calls.map(({ limit }) => limit)).toEqual([2000, 2000]);
  expect(notified[0]?.done).toBeLessThan(1);

  exchanges.put([sample(id(6001)), sample(id(6002), { note: "x" }), sample(id(2))]);
  await vi.waitFor(() => expect(matching()).toContain(id(6002)));
  expect(matching()).not.toContain(id(6001));
  expect(matching()).not.toContain(id(2));
  expect(calls.at(-1)?.since).toBe(id(1));
  stop();
});

it("tells what is wrong with the filter, and where", async () => {
  const { told: notified, stop } = remote(new Exchanges(), true);
  await vi.waitFor(() =>
    expect(notified[0]?.problem).toEqual({ code: "ERR_POSTERN_8120", message: "No.", position: 6 }),
  );
  stop();
});
