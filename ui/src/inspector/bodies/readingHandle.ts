// A reading in the worker as the page sees it: the number of rows, and those fetched so far.
import type { WorkerClient } from "./workerClient";
import type { SearchResult, TextRow } from "./reading/rows";

const CHUNK_ROWS = 100;
const MAX_CHUNKS = 60;

export class ReadingHandle {
  readonly #worker: WorkerClient;
  readonly #reading: number;
  #count: number;
  #version = 0;
  #chunks = new Map<number, TextRow[] | "asked">();
  /** The previous rows, shown until the new ones have arrived. */
  #previous = new Map<number, TextRow[]>();
  /** The columns at which lines are wrapped; null before the first time. */
  #columns: number | null = null;
  #listeners = new Set<() => void>();

  constructor(worker: WorkerClient, reading: number, count: number) {
    this.#worker = worker;
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

  row(row: number): TextRow | undefined {
    const number = Math.floor(row / CHUNK_ROWS);
    const chunk = this.#chunks.get(number);
    const rows = chunk === undefined || chunk === "asked" ? this.#previous.get(number) : chunk;
    return rows?.[row - number * CHUNK_ROWS];
  }

  /** Fetches the rows that are missing. */
  fetchRows(from: number, to: number): void {
    for (
      let chunk = Math.floor(from / CHUNK_ROWS);
      chunk * CHUNK_ROWS < Math.min(to, this.#count);
      chunk += 1
    ) {
      if (this.#chunks.has(chunk)) continue;
      const chunks = this.#chunks;
      chunks.set(chunk, "asked");
      this.#worker.call("rows", this.#reading, chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS).then(
        (rows) => {
          chunks.set(chunk, rows);
          const [oldest] = chunks.keys();
          if (chunks.size > MAX_CHUNKS && oldest !== undefined) chunks.delete(oldest);
          if (chunks === this.#chunks) this.#notify();
        },
        () => void chunks.delete(chunk),
      );
    }
  }

  async toggle(row: number): Promise<void> {
    this.#changed(await this.#worker.call("toggle", this.#reading, row));
  }

  async fold(open: boolean): Promise<void> {
    this.#changed(await this.#worker.call("fold", this.#reading, open));
  }

  /** Wraps lines at these columns; a resize that leaves their number the same changes nothing. */
  async wrap(columns: number): Promise<void> {
    if (columns === this.#columns) return;
    this.#columns = columns;
    this.#changed(await this.#worker.call("wrap", this.#reading, columns));
  }

  async find(text: string): Promise<SearchResult> {
    const found = await this.#worker.call("find", this.#reading, text);
    this.#changed(this.#count);
    return found;
  }

  /** The row of a search result. */
  async show(finding: number): Promise<number> {
    const { row, count } = await this.#worker.call("show", this.#reading, finding);
    if (count !== this.#count) this.#changed(count);
    return row;
  }

  path(row: number): Promise<string | null> {
    return this.#worker.call("path", this.#reading, row);
  }

  text(row: number): Promise<string> {
    return this.#worker.call("text", this.#reading, row);
  }

  close(): void {
    // The worker may already have ended; then there is nothing to close.
    this.#worker.call("close", this.#reading).catch(() => {});
  }

  #changed(count: number): void {
    // Chunks that have not arrived do not take the place of rows that are on the page.
    for (const [number, rows] of this.#chunks) if (rows !== "asked") this.#previous.set(number, rows);
    this.#chunks = new Map();
    this.#count = count;
    this.#notify();
  }

  #notify(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
