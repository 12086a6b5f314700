// The heads of captured exchanges: fetched once from the agent, parsed, and cached. Bodies are read by range by the
// views that show them.
import type { AgentApi } from "../api/agent";
import { errorFromResponse } from "../api/problem";
import type { CapturedRequest } from "../api/types";
import type { Host } from "../host/host";
import { fromBase64 } from "./bytes";
import { parseTrailers } from "./trailers";
import { headerValue, parseMessage, type Header } from "./httpMessage";

export interface Message {
  startLine: string;
  headers: Header[];
  trailers: Header[];
  head: Uint8Array;
  /** Number of captured body bytes, as they were on the wire. */
  bodySize: number;
  cut: boolean;
}

export interface Detail {
  captured: CapturedRequest;
  request: Message;
  response: Message | null;
}

type Side = "request" | "response";

const MAX_CACHED = 30;
/** Maximum length in which trailers are searched for, in bytes. */
const TRAILER_BYTES = 16 * 1024;

/** Complete exchanges never change and are cached; those without a response are fetched again. */
export class Details {
  readonly #api: AgentApi;
  readonly #host: Host;
  #cache = new Map<string, Promise<Detail>>();

  constructor(api: AgentApi, host: Host) {
    this.#api = api;
    this.#host = host;
  }

  read(id: string, complete: boolean): Promise<Detail> {
    const cached = this.#cache.get(id);
    if (cached) return cached;
    const pending = this.#api.captured(id).then((captured) => this.#detail(captured));
    if (complete) this.#store(id, pending);
    return pending;
  }

  /** The body without its transfer coding, up to the limit. */
  async body(id: string, side: Side, limit: number): Promise<Uint8Array> {
    const { status, bytes } = await this.#host.bytes(bodyPath(id, side), 0, limit);
    // An empty body needs no request.
    if (status === 416) return new Uint8Array();
    if (status >= 300) throw errorFromResponse(status, new TextDecoder().decode(bytes));
    return bytes;
  }

  forget(): void {
    this.#cache.clear();
  }

  async #detail(captured: CapturedRequest): Promise<Detail> {
    const request = await this.#message(captured, "request");
    // A captured exchange always has a request.
    if (request === null) throw new TypeError("the response of the agent contains no request");
    return { captured, request, response: await this.#message(captured, "response") };
  }

  async #message(captured: CapturedRequest, side: Side): Promise<Message | null> {
    const message = captured[side];
    if (message === null) return null;
    const { startLine, headers, head } = parseMessage(fromBase64(message.raw));
    const bodySize = message.body_size ?? 0;
    return {
      startLine,
      headers,
      head,
      bodySize,
      trailers: await readTrailers(this.#host, captured.id, side, headers, bodySize),
      cut: captured.cut?.[side] ?? false,
    };
  }

  #store(id: string, pending: Promise<Detail>): void {
    this.#cache.set(id, pending);
    pending.catch(() => this.#cache.delete(id));
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > MAX_CACHED && oldest !== undefined) this.#cache.delete(oldest);
  }
}

export function bodyPath(id: string, side: Side): string {
  return `/api/requests/http/${encodeURIComponent(id)}/${side}/body`;
}

/** Trailers follow the last chunk, at the very end of the bytes on the wire (RFC 9112, section 7.1.2). */
export async function readTrailers(
  host: Host,
  id: string,
  side: Side,
  headers: readonly Header[],
  bodySize: number,
): Promise<Header[]> {
  if (bodySize === 0 || !/\bchunked\b/i.test(headerValue(headers, "transfer-encoding") ?? "")) return [];
  const { status, bytes } = await host.bytes(
    `${bodyPath(id, side)}?as=wire`,
    Math.max(bodySize - TRAILER_BYTES, 0),
    bodySize,
  );
  return status === 206 ? parseTrailers(bytes) : [];
}
