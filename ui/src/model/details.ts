// A captured exchange in full: read from the agent once, parsed and decoded here, a few kept.
import type { AgentApi } from "../api/agent";
import type { CapturedRequest } from "../api/types";
import { classify, type Body } from "./body";
import { fromBase64 } from "./bytes";
import { CHUNK_MISSING, decodeBody } from "./decode";
import { parseMessage, type Header } from "./wire";

export interface Message {
  startLine: string;
  headers: Header[];
  trailers: Header[];
  raw: Uint8Array;
  head: Uint8Array;
  /** The body as it was on the wire. */
  wireBody: Uint8Array;
  /** The body with framing and compression undone. */
  body: Body;
  notes: string[];
  cut: boolean;
}

export interface Detail {
  captured: CapturedRequest;
  request: Message;
  response: Message | null;
}

export async function readDetail(captured: CapturedRequest): Promise<Detail> {
  const request = await readMessage(captured.request.raw, captured.cut?.request ?? false);
  const response = captured.response
    ? await readMessage(captured.response.raw, captured.cut?.response ?? false)
    : null;
  return { captured, request, response };
}

async function readMessage(base64: string, cut: boolean): Promise<Message> {
  const raw = fromBase64(base64);
  const { startLine, headers, head, body } = parseMessage(raw);
  const decoded = await decodeBody(headers, body);
  return {
    startLine,
    headers,
    trailers: decoded.trailers,
    raw,
    head,
    wireBody: body,
    body: classify(headers, decoded.bytes),
    // Of a body that was cut it goes without saying that its end is missing.
    notes: cut ? decoded.notes.filter((note) => note !== CHUNK_MISSING) : decoded.notes,
    cut,
  };
}

const KEPT = 30;

/** Complete exchanges never change, so they are kept; those without an answer are read again. */
export class Details {
  readonly #api: AgentApi;
  #kept = new Map<string, Promise<Detail>>();

  constructor(api: AgentApi) {
    this.#api = api;
  }

  read(id: string, complete: boolean): Promise<Detail> {
    const known = this.#kept.get(id);
    if (known) return known;
    const reading = this.#api.captured(id).then(readDetail);
    if (complete) this.#keep(id, reading);
    return reading;
  }

  forget(): void {
    this.#kept.clear();
  }

  #keep(id: string, reading: Promise<Detail>): void {
    this.#kept.set(id, reading);
    reading.catch(() => this.#kept.delete(id));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}
