// A reading in the worker as the page sees it: the number of rows, and those fetched so far.
import type { Desk } from "./desk";
import type { Found, Row } from "./reading/rows";

const CHUNK = 100;
const KEPT = 60;

export class Handle {
  readonly #desk: Desk;
  readonly #reading: number;
  #count: number;
  #version = 0;
  #chunks = new Map<number, Row[] | "asked">();
  /** The previous rows, shown until the new ones have arrived. */
  #before = new Map<number, Row[] | "asked">();
  #listeners = new Set<() => void>();

  constructor(desk: Desk, reading: number, count: number) {
    this.#desk = desk;
    this.#reading = reading;
    this.#count = count;
  }

  get count(): number {
    return this.#count;
  }

  /** Changes with every update. */
  get version(): number {
    return this.#version;
  }

  listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  row(row: number): Row | undefined {
    const number = Math.floor(row / CHUNK);
    const chunk = this.#chunks.get(number);
    const known = chunk === undefined || chunk === "asked" ? this.#before.get(number) : chunk;
    return known === undefined || known === "asked" ? undefined : known[row - number * CHUNK];
  }

  /** Fetches the rows that are missing. */
  need(from: number, to: number): void {
    for (let chunk = Math.floor(from / CHUNK); chunk * CHUNK < Math.min(to, this.#count); chunk += 1) {
      if (this.#chunks.has(chunk)) continue;
      const chunks = this.#chunks;
      chunks.set(chunk, "asked");
      this.#desk.call("rows", this.#reading, chunk * CHUNK, (chunk + 1) * CHUNK).then(
        (rows) => {
          chunks.set(chunk, rows);
          const [oldest] = chunks.keys();
          if (chunks.size > KEPT && oldest !== undefined) chunks.delete(oldest);
          if (chunks === this.#chunks) this.#tell();
        },
        () => void chunks.delete(chunk),
      );
    }
  }

  async toggle(row: number): Promise<void> {
    this.#changed(await this.#desk.call("toggle", this.#reading, row));
  }

  async fold(open: boolean): Promise<void> {
    this.#changed(await this.#desk.call("fold", this.#reading, open));
  }

  async wrap(columns: number): Promise<void> {
    this.#changed(await this.#desk.call("wrap", this.#reading, columns));
  }

  async find(text: string): Promise<Found> {
    const found = await this.#desk.call("find", this.#reading, text);
    this.#changed(this.#count);
    return found;
  }

  /** The row of a search result. */
  async show(finding: number): Promise<number> {
    const { row, count } = await this.#desk.call("show", this.#reading, finding);
    if (count !== this.#count) this.#changed(count);
    return row;
  }

  path(row: number): Promise<string | null> {
    return this.#desk.call("path", this.#reading, row);
  }

  text(row: number): Promise<string> {
    return this.#desk.call("text", this.#reading, row);
  }

  close(): void {
    // The worker may already have ended; then there is nothing to close.
    this.#desk.call("close", this.#reading).catch(() => {});
  }

  #changed(count: number): void {
    this.#before = this.#chunks;
    this.#chunks = new Map();
    this.#count = count;
    this.#tell();
  }

  #tell(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
