// Batches work into the next animation frame, so that many events cause one rendering.

/** Fallback delay in milliseconds: hidden pages get no animation frames. */
const FALLBACK_MS = 200;

/** Runs `work` once in the next frame, however often it is requested before that. */
export class NextFrame {
  readonly #work: () => void;
  #frame: number | null = null;
  #late: ReturnType<typeof setTimeout> | null = null;

  constructor(work: () => void) {
    this.#work = work;
  }

  request(): void {
    if (this.#late !== null) return;
    this.#late = setTimeout(() => this.run(), FALLBACK_MS);
    if (typeof requestAnimationFrame === "function") this.#frame = requestAnimationFrame(() => this.run());
  }

  /** Runs pending work immediately. */
  run(): void {
    this.cancel();
    this.#work();
  }

  cancel(): void {
    if (this.#late !== null) clearTimeout(this.#late);
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    this.#late = null;
    this.#frame = null;
  }
}
