// The page's end of the worker that arranges boxes.
import { trustedScriptUrl } from "../../parts/trusted";
import type { Arrangement, Boxes } from "./arrange";
import type { ArrangeRequest, ArrangeResponse } from "./arrange.worker";
// oxlint-disable-next-line import/default -- made by the bundler
import address from "./arrange.worker.ts?worker&url";

interface Waiting {
  done(arrangement: Arrangement): void;
  fail(reason: Error): void;
}

export class Arranger {
  readonly #worker = new Worker(trustedScriptUrl(address), { type: "module", name: "topology" });
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  constructor() {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<ArrangeResponse>) => {
      this.#waiting.get(data.number)?.done(data.arrangement);
      this.#waiting.delete(data.number);
    });
    this.#worker.addEventListener("error", () => {
      for (const { fail } of this.#waiting.values()) fail(new Error("The graph could not be arranged."));
      this.#waiting.clear();
    });
  }

  arrange(boxes: Boxes): Promise<Arrangement> {
    const request: ArrangeRequest = { number: this.#next, boxes };
    this.#next += 1;
    return new Promise((done, fail) => {
      this.#waiting.set(request.number, { done, fail });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name
      this.#worker.postMessage(request);
    });
  }

  close(): void {
    this.#worker.terminate();
  }
}
