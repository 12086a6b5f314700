// A body of any size: read in windows as it is viewed or, where it is compressed, first decoded in the worker.
import type { Host } from "../../host/host";
import { ApiError, fromAnswer } from "../../api/problem";
import { concat } from "../../model/bytes";
import { Desk } from "./desk";
import { codingsOf } from "./reading/codingsOf";

/** Bytes that can be read in ranges. */
export interface Source {
  readonly length: number;
  read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>>;
}

const WINDOW = 256 * 1024;
const KEPT = 32;
/** Maximum number of bytes read at once, encoded or decoded. */
export const WHOLE = 16 * 1024 * 1024;

/** A body at the agent. Neighbouring reads share windows; the oldest windows are evicted. */
export class Windows implements Source {
  readonly #host: Host;
  readonly #path: string;
  readonly length: number;
  #kept = new Map<number, Promise<Uint8Array<ArrayBuffer>>>();

  constructor(host: Host, path: string, length: number) {
    this.#host = host;
    this.#path = path;
    this.length = length;
  }

  static async open(host: Host, path: string): Promise<Windows> {
    const first = await range(host, path, 0, WINDOW);
    const windows = new Windows(host, path, first.total);
    windows.#kept.set(0, Promise.resolve(first.bytes));
    return windows;
  }

  async read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
    const end = Math.min(to, this.length);
    const whole = new Uint8Array(Math.max(end - from, 0));
    const first = Math.floor(from / WINDOW);
    const windows: Promise<void>[] = [];
    for (let window = first; window * WINDOW < end; window += 1) {
      windows.push(
        this.#window(window).then((bytes) => {
          const start = window * WINDOW;
          whole.set(bytes.subarray(Math.max(from - start, 0), end - start), Math.max(start - from, 0));
        }),
      );
    }
    await Promise.all(windows);
    return whole;
  }

  #window(number: number): Promise<Uint8Array<ArrayBuffer>> {
    const known = this.#kept.get(number);
    if (known) {
      this.#kept.delete(number);
      this.#kept.set(number, known);
      return known;
    }
    const from = number * WINDOW;
    const reading = range(this.#host, this.#path, from, Math.min(from + WINDOW, this.length)).then(
      ({ bytes }) => bytes,
    );
    this.#kept.set(number, reading);
    reading.catch(() => this.#kept.delete(number));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return reading;
  }
}

async function range(
  host: Host,
  path: string,
  from: number,
  to: number,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; total: number }> {
  const { status, total, bytes } = await host.bytes(path, from, to);
  if (status === 206 && total !== null) return { bytes, total };
  // An empty body has no bytes to request.
  if (status === 416 && total === 0) return { bytes: new Uint8Array(), total: 0 };
  if (status === 200) return { bytes: bytes.slice(from, to), total: bytes.length };
  if (status >= 400) throw fromAnswer(status, new TextDecoder().decode(bytes));
  throw new ApiError("ANSWER_UNREADABLE", "The agent's response could not be parsed.", 502);
}

/** A range of other bytes. */
export class Slice implements Source {
  readonly #whole: Source;
  readonly #from: number;
  readonly length: number;

  constructor(whole: Source, from: number, to: number) {
    this.#whole = whole;
    this.#from = from;
    this.length = Math.max(to - from, 0);
  }

  read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#whole.read(this.#from + from, this.#from + Math.min(to, this.length));
  }
}

/** Bytes in memory followed by others. */
export class Joined implements Source {
  readonly #first: Uint8Array<ArrayBuffer>;
  readonly #rest: Source;
  readonly length: number;

  constructor(first: Uint8Array<ArrayBuffer>, rest: Source) {
    this.#first = first;
    this.#rest = rest;
    this.length = first.length + rest.length;
  }

  async read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
    const cut = this.#first.length;
    if (to <= cut) return this.#first.slice(from, to);
    const rest = await this.#rest.read(Math.max(from - cut, 0), to - cut);
    return from >= cut ? rest : concat([this.#first.subarray(from), rest]);
  }
}

/** Bytes in memory. */
export class Here implements Source {
  readonly #bytes: Uint8Array<ArrayBuffer>;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#bytes.length;
  }

  async read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#bytes.slice(from, to);
  }
}

/** A body ready to view: its bytes without any coding, and a worker that can parse them. */
export class Content implements Source {
  readonly #source: Source;
  readonly desk: Desk;
  /** Notes about the decoding. */
  readonly notes: readonly string[];
  readonly length: number;
  #loaded: Promise<void> | null;

  private constructor(source: Source, desk: Desk, notes: readonly string[], loaded: boolean) {
    this.#source = source;
    this.desk = desk;
    this.notes = notes;
    this.length = source.length;
    this.#loaded = loaded ? Promise.resolve() : null;
  }

  static async open(source: Source, contentEncoding: string | null): Promise<Content> {
    const codings = codingsOf(contentEncoding);
    const desk = new Desk();
    if (codings.length === 0 || source.length === 0) return new Content(source, desk, [], false);
    try {
      await send(source, desk);
      const { notes, done, length } = await desk.call("unpack", codings, WHOLE);
      if (!done && notes.length > 0 && length === source.length) {
        return new Content(source, desk, notes, true);
      }
      const told =
        source.length > WHOLE
          ? [...notes, `Only the first ${WHOLE / 1024 / 1024} MB of the encoded bytes were decoded.`]
          : notes;
      const unpacked: Source = {
        length,
        read: async (from, to) =>
          new Uint8Array(await desk.call("slice", from, to)) as Uint8Array<ArrayBuffer>,
      };
      return new Content(unpacked, desk, told, true);
    } catch (thrown) {
      desk.close();
      throw thrown;
    }
  }

  /** Bytes without a coding, such as a part of others. */
  static part(source: Source): Content {
    return new Content(source, new Desk(), [], false);
  }

  read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#source.read(from, to);
  }

  /** Sends the bytes to the worker, at most the first `WHOLE`. */
  load(): Promise<void> {
    this.#loaded ??= send(this.#source, this.desk).then(async () => {
      await this.desk.call("unpack", [], WHOLE);
    });
    return this.#loaded;
  }

  /** Readings contain only the beginning. */
  get isLong(): boolean {
    return this.length > WHOLE;
  }

  close(): void {
    this.desk.close();
  }
}

async function send(source: Source, desk: Desk): Promise<void> {
  const step = 1024 * 1024;
  for (let at = 0; at < Math.min(source.length, WHOLE); at += step) {
    // A copy is transferred; the window keeps its own.
    await desk.call("take", await source.read(at, Math.min(at + step, WHOLE)));
  }
}
