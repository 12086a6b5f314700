// A body of any size: read in windows as it is viewed or, where it is compressed, first decoded in the worker.
import type { Host } from "../../host/host";
import { ApiError, errorFromResponse } from "../../api/problem";
import { concat } from "../../model/bytes";
import { WorkerClient } from "./workerClient";
import { codingsOf } from "./reading/contentEncoding";

/** Bytes that can be read in ranges. */
export interface ByteSource {
  readonly length: number;
  read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>>;
}

const WINDOW_BYTES = 256 * 1024;
const MAX_WINDOWS = 32;
/** Maximum number of bytes read at once, encoded or decoded. */
export const MAX_READ_BYTES = 16 * 1024 * 1024;

/** A body at the agent. Neighbouring reads share windows; the oldest windows are evicted. */
export class RemoteBytes implements ByteSource {
  readonly #host: Host;
  readonly #path: string;
  readonly length: number;
  #cache = new Map<number, Promise<Uint8Array<ArrayBuffer>>>();

  constructor(host: Host, path: string, length: number) {
    this.#host = host;
    this.#path = path;
    this.length = length;
  }

  /** `isEmpty`: there are no bytes to request. */
  static async open(host: Host, path: string, isEmpty = false): Promise<RemoteBytes> {
    if (isEmpty) return new RemoteBytes(host, path, 0);
    const first = await fetchRange(host, path, 0, WINDOW_BYTES);
    const windows = new RemoteBytes(host, path, first.total);
    windows.#cache.set(0, Promise.resolve(first.bytes));
    return windows;
  }

  async read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
    const end = Math.min(to, this.length);
    const result = new Uint8Array(Math.max(end - from, 0));
    const first = Math.floor(from / WINDOW_BYTES);
    const windows: Promise<void>[] = [];
    for (let window = first; window * WINDOW_BYTES < end; window += 1) {
      windows.push(
        this.#window(window).then((bytes) => {
          const start = window * WINDOW_BYTES;
          result.set(bytes.subarray(Math.max(from - start, 0), end - start), Math.max(start - from, 0));
        }),
      );
    }
    await Promise.all(windows);
    return result;
  }

  #window(number: number): Promise<Uint8Array<ArrayBuffer>> {
    const cached = this.#cache.get(number);
    if (cached) {
      this.#cache.delete(number);
      this.#cache.set(number, cached);
      return cached;
    }
    const from = number * WINDOW_BYTES;
    const reading = fetchRange(this.#host, this.#path, from, Math.min(from + WINDOW_BYTES, this.length)).then(
      ({ bytes }) => bytes,
    );
    this.#cache.set(number, reading);
    reading.catch(() => this.#cache.delete(number));
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > MAX_WINDOWS && oldest !== undefined) this.#cache.delete(oldest);
    return reading;
  }
}

async function fetchRange(
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
  if (status >= 400) throw errorFromResponse(status, new TextDecoder().decode(bytes));
  throw new ApiError("ANSWER_UNREADABLE", "The agent's response could not be parsed.", 502);
}

/** A range of other bytes. */
export class ByteSlice implements ByteSource {
  readonly #whole: ByteSource;
  readonly #from: number;
  readonly length: number;

  constructor(result: ByteSource, from: number, to: number) {
    this.#whole = result;
    this.#from = from;
    this.length = Math.max(to - from, 0);
  }

  read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#whole.read(this.#from + from, this.#from + Math.min(to, this.length));
  }
}

/** Bytes in memory followed by others. */
export class JoinedBytes implements ByteSource {
  readonly #first: Uint8Array<ArrayBuffer>;
  readonly #rest: ByteSource;
  readonly length: number;

  constructor(first: Uint8Array<ArrayBuffer>, rest: ByteSource) {
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
export class MemoryBytes implements ByteSource {
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
export class Content implements ByteSource {
  readonly #source: ByteSource;
  readonly worker: WorkerClient;
  /** Notes about the decoding. */
  readonly notes: readonly string[];
  readonly length: number;
  #loaded: Promise<void> | null;

  private constructor(source: ByteSource, worker: WorkerClient, notes: readonly string[], loaded: boolean) {
    this.#source = source;
    this.worker = worker;
    this.notes = notes;
    this.length = source.length;
    this.#loaded = loaded ? Promise.resolve() : null;
  }

  static async open(source: ByteSource, contentEncoding: string | null): Promise<Content> {
    const codings = codingsOf(contentEncoding);
    const worker = new WorkerClient();
    if (codings.length === 0 || source.length === 0) return new Content(source, worker, [], false);
    try {
      await send(source, worker);
      const { notes, done, length } = await worker.call("unpack", codings, MAX_READ_BYTES);
      if (!done && notes.length > 0 && length === source.length) {
        return new Content(source, worker, notes, true);
      }
      const allNotes =
        source.length > MAX_READ_BYTES
          ? [...notes, `Only the first ${MAX_READ_BYTES / 1024 / 1024} MB of the encoded bytes were decoded.`]
          : notes;
      const unpacked: ByteSource = {
        length,
        read: async (from, to) =>
          new Uint8Array(await worker.call("slice", from, to)) as Uint8Array<ArrayBuffer>,
      };
      return new Content(unpacked, worker, allNotes, true);
    } catch (thrown) {
      worker.close();
      throw thrown;
    }
  }

  /** Bytes without a coding, such as a part of others. */
  static part(source: ByteSource): Content {
    return new Content(source, new WorkerClient(), [], false);
  }

  read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#source.read(from, to);
  }

  /** Sends the bytes to the worker, at most the first `WHOLE`. */
  load(): Promise<void> {
    this.#loaded ??= send(this.#source, this.worker).then(async () => {
      await this.worker.call("unpack", [], MAX_READ_BYTES);
    });
    return this.#loaded;
  }

  /** Readings contain only the beginning. */
  get isTruncated(): boolean {
    return this.length > MAX_READ_BYTES;
  }

  close(): void {
    this.worker.close();
  }
}

async function send(source: ByteSource, worker: WorkerClient): Promise<void> {
  const step = 1024 * 1024;
  for (let at = 0; at < Math.min(source.length, MAX_READ_BYTES); at += step) {
    // A copy is transferred; the window keeps its own.
    await worker.call("take", await source.read(at, Math.min(at + step, MAX_READ_BYTES)));
  }
}
