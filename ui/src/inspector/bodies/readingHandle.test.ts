import { describe, expect, it } from "vitest";
import { ReadingHandle } from "./readingHandle";
import type { WorkerClient } from "./workerClient";

interface Call {
  method: string;
  given: readonly unknown[];
  respond(result: unknown): void;
}

/** A worker whose responses the test decides about. */
function worker() {
  const calls: Call[] = [];
  const client = {
    call: (method: string, ...given: unknown[]) =>
      new Promise((respond) => calls.push({ method, given, respond })),
  } as unknown as WorkerClient;
  const respond = async (method: string, result: unknown) => {
    const index = calls.findIndex((call) => call.method === method);
    const [call] = calls.splice(index, 1);
    if (index < 0 || !call) throw new Error(`${method} was not called`);
    call.respond(result);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { client, calls, respond };
}

const line = (text: string) => ({ text });

describe("the rows of a reading", () => {
  it("stay on the page over changes whose rows have not arrived", async () => {
    const { client, respond } = worker();
    const handle = new ReadingHandle(client, 1, 1);
    handle.fetchRows(0, 1);
    await respond("rows", [line("first")]);
    for (const columns of [80, 70]) {
      void handle.wrap(columns);
      await respond("wrap", 1);
      handle.fetchRows(0, 1);
      expect(handle.row(0)).toEqual(line("first"));
    }
    await respond("rows", [line("at 80")]);
    expect(handle.row(0), "rows of an earlier width are not shown").toEqual(line("first"));
    await respond("rows", [line("at 70")]);
    expect(handle.row(0)).toEqual(line("at 70"));
  });

  it("are wrapped again only at another width", async () => {
    const { client, calls, respond } = worker();
    const handle = new ReadingHandle(client, 1, 1);
    void handle.wrap(80);
    await respond("wrap", 1);
    const { version } = handle;
    await handle.wrap(80);
    expect([calls.length, handle.version]).toEqual([0, version]);
    void handle.wrap(81);
    expect(calls.map(({ method, given }) => [method, ...given])).toEqual([["wrap", 1, 81]]);
  });
});
