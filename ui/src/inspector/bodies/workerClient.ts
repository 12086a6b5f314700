// The page's end of the worker: calls with a result, and a timeout for those that take too long.
import { trustedScriptUrl } from "../../parts/trusted";
import type { Calls, WorkerRequest } from "./worker";
// oxlint-disable-next-line import/default -- made by the bundler
import address from "./worker.ts?worker&url";

/** Timeout of one call in milliseconds; a body that takes longer was built to do so. */
const CALL_TIMEOUT_MS = 15_000;

type PendingCall = { done(value: unknown): void; fail(reason: Error): void };

export class WorkerClient {
  #worker: Worker | null = null;
  #pending = new Map<number, PendingCall>();
  #next = 1;
  #closedReason: Error | null = null;

  call<Name extends keyof Calls>(
    name: Name,
    ...args: Parameters<Calls[Name]>
  ): Promise<Awaited<ReturnType<Calls[Name]>>> {
    return new Promise((done, fail) => {
      if (this.#closedReason) return fail(this.#closedReason);
      const callId = this.#next;
      this.#next += 1;
      const timer = setTimeout(
        () => this.#terminate(new Error("This body took too long to parse. View it as text or hex.")),
        CALL_TIMEOUT_MS,
      );
      this.#pending.set(callId, {
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
      const bytes = name === "take" && args[0] instanceof Uint8Array ? [args[0].buffer as ArrayBuffer] : [];
      const request: WorkerRequest = { number: callId, name, args };
      this.#worker.postMessage(request, bytes);
    });
  }

  close(): void {
    this.#terminate(new Error("This view was closed."));
  }

  #start(): Worker {
    const worker = new Worker(trustedScriptUrl(address), { type: "module", name: "bodies" });
    worker.addEventListener(
      "message",
      ({ data }: MessageEvent<{ number: number; value?: unknown; failure?: string }>) => {
        const waiting = this.#pending.get(data.number);
        this.#pending.delete(data.number);
        if (data.failure === undefined) waiting?.done(data.value);
        else waiting?.fail(new Error(data.failure));
      },
    );
    worker.addEventListener("error", () =>
      this.#terminate(new Error("Parsing this body failed. View it as hex, or select the request again.")),
    );
    return worker;
  }

  #terminate(reason: Error): void {
    this.#closedReason ??= reason;
    this.#worker?.terminate();
    this.#worker = null;
    for (const waiting of this.#pending.values()) waiting.fail(reason);
    this.#pending.clear();
  }
}
