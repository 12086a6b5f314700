// Work that waits for the next frame: many events become one change of the page.

/** Hidden pages get no frames. */
const LATEST_MS = 200;

/** Runs `work` once, with the next frame, however often it is asked for until then. */
export class NextFrame {
  readonly #work: () => void;
  #frame: number | null = null;
  #late: ReturnType<typeof setTimeout> | null = null;

  constructor(work: () => void) {
    this.#work = work;
  }

  ask(): void {
    if (this.#late !== null) return;
    this.#late = setTimeout(() => this.run(), LATEST_MS);
    if (typeof requestAnimationFrame === "function") this.#frame = requestAnimationFrame(() => this.run());
  }

  /** At once. */
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
