// The page's end of the worker: calls with a result, and a timeout for those that take too long.
import { ownScript } from "../../parts/trusted";
import type { Calls } from "./worker";
// oxlint-disable-next-line import/default -- made by the bundler
import address from "./worker.ts?worker&url";

/** Timeout of one call in milliseconds; a body that takes longer was built to do so. */
const PATIENCE_MS = 15_000;

type Waiting = { done(value: unknown): void; fail(reason: Error): void };

export class Desk {
  #worker: Worker | null = null;
  #waiting = new Map<number, Waiting>();
  #next = 1;
  #over: Error | null = null;

  call<Name extends keyof Calls>(
    name: Name,
    ...given: Parameters<Calls[Name]>
  ): Promise<Awaited<ReturnType<Calls[Name]>>> {
    return new Promise((done, fail) => {
      if (this.#over) return fail(this.#over);
      const number = this.#next;
      this.#next += 1;
      const timer = setTimeout(
        () => this.#end(new Error("This body took too long to parse. View it as text or hex.")),
        PATIENCE_MS,
      );
      this.#waiting.set(number, {
        done: (value) => {
          clearTimeout(timer);
          done(value as Awaited<ReturnType<Calls[Name]>>);
        },
        fail: (reason) => {
          clearTimeout(timer);
          fail(reason);
        },
      });
      this.#worker ??= this.#start();
      const bytes = name === "take" && given[0] instanceof Uint8Array ? [given[0].buffer as ArrayBuffer] : [];
      this.#worker.postMessage({ number, name, given }, bytes);
    });
  }

  close(): void {
    this.#end(new Error("This view was closed."));
  }

  #start(): Worker {
    const worker = new Worker(ownScript(address), { type: "module", name: "bodies" });
    worker.addEventListener(
      "message",
      ({ data }: MessageEvent<{ number: number; value?: unknown; failure?: string }>) => {
        const waiting = this.#waiting.get(data.number);
        this.#waiting.delete(data.number);
        if (data.failure === undefined) waiting?.done(data.value);
        else waiting?.fail(new Error(data.failure));
      },
    );
    worker.addEventListener("error", () =>
      this.#end(new Error("Parsing this body failed. View it as hex, or select the request again.")),
    );
    return worker;
  }

  #end(reason: Error): void {
    this.#over ??= reason;
    this.#worker?.terminate();
    this.#worker = null;
    for (const waiting of this.#waiting.values()) waiting.fail(reason);
    this.#waiting.clear();
  }
}
