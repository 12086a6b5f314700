import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../api/problem";
import { Exchanges } from "./exchanges";
import { ReplayMany, results } from "./replayMany";
import { sample } from "./sample";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("many replays", () => {
  it("start at their pace, and no more at once than allowed", async () => {
    const exchanges = new Exchanges();
    let number = 0;
    const many = new ReplayMany(
      ["a", "b"],
      { times: 2, rate: 10, concurrency: 2 },
      exchanges,
      async () => {
        number += 1;
        exchanges.put([sample(`r${number}`, { duration: null, status_code: null, status: null })]);
        return `r${number}`;
      },
      () => {},
    );
    many.start();
    await vi.advanceTimersByTimeAsync(1000);
    expect(many.sent.map(({ original }) => original)).toEqual(["a", "b"]);
    exchanges.put([sample("r1"), sample("r2")]);
    await vi.advanceTimersByTimeAsync(250);
    expect(many.sent.map(({ original }) => original)).toEqual(["a", "b", "a", "b"]);
    expect(many.ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
    exchanges.put([sample("r3"), sample("r4")]);
    await vi.advanceTimersByTimeAsync(200);
    expect(many.ended).toBe(true);
  });

  it("go on when one is refused, and can be stopped", async () => {
    const many = new ReplayMany(
      ["a"],
      { times: 50, rate: 100, concurrency: 5 },
      new Exchanges(),
      async () => Promise.reject(new ApiError("ERR_POSTERN_8104", "It is gone.", 404)),
      () => {},
    );
    many.start();
    await vi.advanceTimersByTimeAsync(55);
    expect(many.sent.length).toBe(6);
    expect(many.sent[0]?.failed).toBe("It is gone.");
    many.stop();
    await vi.advanceTimersByTimeAsync(500);
    expect(many.sent.length).toBe(6);
  });
});

it("counts answers by what they are", () => {
  const answers = [1, 2, 3, 4].map((ms) => sample(String(ms), { duration: ms * 1e6 }));
  answers.push(sample("x", { status: null, status_code: null, error: "refused", duration: 5e6 }));
  answers.push(sample("y", { status: null, status_code: null, duration: null }));
  expect(results(answers)).toEqual([
    { response: "200 OK", count: 4, p50: 3e6, p95: 4e6 },
    { response: "Failed", count: 1, p50: 5e6, p95: 5e6 },
  ]);
});
