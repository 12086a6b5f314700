// Maps the scroll position of a box to a position in a list that may be taller than browsers lay out.

/** Height of a box in pixels: Chromium and WebKit cut it at 2^25, Firefox at about 17.8 million. */
export const MAX_HEIGHT = 16_000_000;
/** Steps up to this many views scroll by pixels; only dragging the scroll bar or jumping moves further. */
const MAX_STEP_VIEWS = 10;
/** How far the scroll bar may stand from its share of the list, in pixels, before it is corrected. */
const MAX_DRIFT = MAX_HEIGHT / 100;

export function boxHeight(total: number): number {
  return Math.min(total, MAX_HEIGHT);
}

export class ScrollMap {
  #total = 0;
  #view = 0;
  #box = 0;
  #position = 0;

  /** Position in the list of the first visible pixel. */
  get position(): number {
    return this.#position;
  }

  /** What to subtract from a position in the list for the position in the box. */
  get offset(): number {
    return this.#position - this.#box;
  }

  /** Sets the height of the list and of its visible part, in pixels. */
  resize(total: number, view: number): void {
    this.#total = total;
    this.#view = view;
  }

  /** Follows the box to a scroll position; returns the position at which it should be. */
  follow(box: number): number {
    if (this.#total <= MAX_HEIGHT) return this.#place(box, box);
    const step = box - this.#box;
    if (Math.abs(step) > MAX_STEP_VIEWS * this.#view) return this.#place(box * this.#scale, box);
    const wanted = this.#position + step;
    const position = Math.min(Math.max(wanted, 0), this.#last);
    const target = this.#boxOf(position);
    const isOff =
      position !== wanted || Math.abs(target - box) > MAX_DRIFT || box <= 0 || box >= this.#lastBox;
    return this.#place(position, isOff ? target : box);
  }

  /** Moves to a position in the list; returns the scroll position of the box. */
  moveTo(position: number): number {
    const inside = Math.min(Math.max(position, 0), this.#last);
    return this.#place(inside, this.#total <= MAX_HEIGHT ? inside : this.#boxOf(inside));
  }

  get #last(): number {
    return Math.max(this.#total - this.#view, 0);
  }

  get #lastBox(): number {
    return Math.max(MAX_HEIGHT - this.#view, 1);
  }

  /** Pixels of the list for each pixel of the box. */
  get #scale(): number {
    return this.#last / this.#lastBox;
  }

  /** Where the scroll bar shows a position: at its share, with as much room to the ends as the list has there. */
  #boxOf(position: number): number {
    const before = Math.min(position, MAX_DRIFT / 2);
    const after = Math.min(this.#last - position, MAX_DRIFT / 2);
    return Math.min(Math.max(position / this.#scale, before), this.#lastBox - after);
  }

  #place(position: number, box: number): number {
    this.#position = position;
    this.#box = box;
    return box;
  }
}
