// The messages inside an exchange: fetched from the agent page by page, new ones as they arrive. No React.
import type { AgentApi } from "../../api/agent";
import type { FrameList, FrameView } from "../../api/types";
import { fromBase64, hexPairs } from "../../model/bytes";
import { containsWords } from "../../model/words";
import { WorkerClient } from "./workerClient";

export interface Frame extends FrameView {
  /** The content of a compressed message that is not text. */
  bytes?: Uint8Array;
}

const PAGE_SIZE = 500;
/** Maximum number of frames in the page; the oldest are evicted. */
export const MAX_FRAMES = 20_000;
const POLL_INTERVAL_MS = 700;

export interface FramesSnapshot {
  frames: readonly Frame[];
  /** Number of frames evicted from the front, at the agent or here. */
  dropped: number;
  open: boolean;
  error: string | null;
  /** The first page has arrived. */
  loaded: boolean;
  failure: string | null;
}

export class Frames {
  readonly #api: AgentApi;
  readonly #id: string;
  readonly #worker = new WorkerClient();
  #snapshot: FramesSnapshot = {
    frames: [],
    dropped: 0,
    open: true,
    error: null,
    loaded: false,
    failure: null,
  };
  #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #after = 0;
  #stopped = false;

  constructor(api: AgentApi, id: string) {
    this.#api = api;
    this.#id = id;
  }

  get snapshot(): FramesSnapshot {
    return this.#snapshot;
  }

  listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Fetches all frames and continues while more may arrive. The returned function stops it. */
  start(): () => void {
    void this.#read();
    return () => {
      this.#stopped = true;
      clearTimeout(this.#timer);
      this.#worker.close();
    };
  }

  async #read(): Promise<void> {
    let more = true;
    try {
      while (more && !this.#stopped) {
        const page = await this.#api.frames(this.#id, this.#after, PAGE_SIZE);
        const frames = await this.#unpacked(page.frames);
        if (this.#stopped) return;
        this.#append(page, frames);
        more = page.next !== null;
        if (!more && !page.open) return;
      }
    } catch (thrown) {
      this.#set({ failure: thrown instanceof Error ? thrown.message : "The messages could not be loaded." });
    }
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#read(), POLL_INTERVAL_MS);
  }

  /** Compressed messages can be decoded while none of their direction is missing or cut. */
  async #unpacked(frames: readonly FrameView[]): Promise<Frame[]> {
    const unpacked: Frame[] = [];
    for (const frame of frames) {
      if (!frame.compressed || frame.base64 === null) {
        unpacked.push(frame);
        continue;
      }
      const bytes = await this.#worker
        .call("inflate", frame.from, fromBase64(frame.base64), frame.last)
        .catch(() => null);
      const text = bytes === null || frame.kind === "binary" ? null : new TextDecoder().decode(bytes);
      unpacked.push(bytes === null ? frame : { ...frame, text, ...(text === null ? { bytes } : {}) });
    }
    return unpacked;
  }

  #append(page: FrameList, frames: readonly Frame[]): void {
    const last = frames.at(-1);
    if (last) this.#after = last.number;
    const all = frames.length === 0 ? this.#snapshot.frames : [...this.#snapshot.frames, ...frames];
    const latest = all.length > MAX_FRAMES ? all.slice(-MAX_FRAMES) : all;
    this.#set({
      frames: latest,
      dropped: latest.length === 0 ? page.dropped : (latest[0]?.number ?? 1) - 1,
      open: page.open,
      error: page.error,
      loaded: true,
      failure: null,
    });
  }

  #set(part: Partial<FramesSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...part };
    for (const listener of this.#listeners) listener();
  }
}

/** The payload as it was sent, or decompressed where that was possible. */
export function payload(frame: Frame): Uint8Array<ArrayBuffer> {
  if (frame.event) return new TextEncoder().encode(frame.event.data);
  if (frame.text !== null) return new TextEncoder().encode(frame.text);
  if (frame.bytes) return frame.bytes.slice();
  return fromBase64(frame.base64 ?? "");
}

const CLOSE_REASONS: Record<number, string> = {
  1000: "normal",
  1001: "going away",
  1002: "protocol error",
  1003: "unsupported data",
  1005: "no status",
  1006: "abnormal",
  1007: "invalid payload",
  1008: "policy violation",
  1009: "message too big",
  1010: "extension missing",
  1011: "internal error",
  1012: "service restart",
  1013: "try again later",
};

/** One line that summarizes a message. */
export function preview(frame: Frame): string {
  if (frame.event) return frame.event.data;
  if (frame.kind === "close") {
    const bytes = payload(frame);
    if (bytes.length < 2) return "no status";
    const code = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
    const reason = new TextDecoder().decode(bytes.subarray(2));
    return [`${code} ${CLOSE_REASONS[code] ?? ""}`.trim(), reason].filter(Boolean).join(": ");
  }
  if (frame.text !== null) return frame.text;
  const bytes = payload(frame).subarray(0, 32);
  return hexPairs(bytes).join(" ");
}

/** Whether a message matches all words of a filter; `visitor`, `service` and kinds are ordinary words. */
export function matchesWords(frame: Frame, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const texts = [preview(frame), frame.from, frame.kind, frame.event?.event ?? "", frame.event?.id ?? ""];
  return containsWords(texts.join("\n"), words);
}
