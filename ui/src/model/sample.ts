// Exchanges for tests.
import type { Summary } from "../api/types";

export function sample(id: string, part: Partial<Summary> = {}): Summary {
  return {
    id,
    tunnel_name: "site (http)",
    method: "GET",
    path: "/",
    host: "amber-fox-1234.localhost:4443",
    status_code: 200,
    status: "200 OK",
    start: "2026-03-04T10:11:12.345Z",
    duration: 3_893_202,
    request_size: 120,
    response_size: 640,
    remote_addr: "127.0.0.1",
    cut: false,
    replay_of: null,
    error: null,
    ...part,
  };
}

export function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}
