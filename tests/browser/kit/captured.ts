// Captured exchanges as an agent would hold them, built from plain words.
import { gzipSync } from "node:zlib";
import type { RequestSummary } from "../../../ui/src/api/local.generated";

export interface Exchange {
  summary: RequestSummary;
  request: Buffer;
  response: Buffer | null;
}

export interface Spoken {
  method?: string;
  path?: string;
  tunnel?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  status?: string | null;
  answerHeaders?: Record<string, string>;
  answer?: string | Buffer;
  milliseconds?: number | null;
  cut?: boolean;
  replayOf?: string | null;
  error?: string | null;
  start?: Date;
}

export const HOST = "amber-fox-1234.localhost:4443";
let counter = 0;

function message(first: string, headers: Record<string, string>, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const length =
    bytes.length > 0 && !("Transfer-Encoding" in headers) ? { "Content-Length": String(bytes.length) } : {};
  const lines = Object.entries({ ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${first}\r\n${lines.join("")}\r\n`), bytes]);
}

export function exchange(spoken: Spoken = {}): Exchange {
  const {
    method = "GET",
    path = "/",
    tunnel = "shop",
    body = "",
    answer = "",
    milliseconds = 12,
    error = null,
  } = spoken;
  counter += 1;
  const id = `a1b2c3d4${counter.toString(16).padStart(8, "0")}`;
  const status = spoken.status === undefined ? "200 OK" : spoken.status;
  const request = message(
    `${method} ${path} HTTP/1.1`,
    {
      Host: HOST,
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      Accept: "application/json, text/plain;q=0.9, */*;q=0.8",
      "Accept-Encoding": "gzip, br",
      "X-Forwarded-For": "203.0.113.7",
      "X-Forwarded-Proto": "https",
      ...spoken.headers,
    },
    body,
  );
  const response =
    status === null
      ? null
      : message(
          `HTTP/1.1 ${status}`,
          { Date: "Wed, 04 Mar 2026 10:11:12 GMT", Server: "shop/1.4", ...spoken.answerHeaders },
          answer,
        );
  return {
    summary: {
      id,
      tunnel_name: `${tunnel} (http)`,
      method,
      path,
      host: HOST,
      status_code: status === null ? null : Number(status.slice(0, 3)),
      status,
      start: (spoken.start ?? new Date()).toISOString(),
      duration: milliseconds === null ? null : milliseconds * 1e6,
      request_size: request.length,
      response_size: response?.length ?? 0,
      remote_addr: "203.0.113.7",
      cut: spoken.cut ?? false,
      replay_of: spoken.replayOf ?? null,
      replay_through: spoken.replayOf ? "local" : null,
      error,
      pinned: false,
      note: null,
      imported: false,
      frames: null,
      open: status === null && error === null,
    },
    request,
    response,
  };
}

const json = (value: unknown) => ({
  answerHeaders: { "Content-Type": "application/json" },
  answer: JSON.stringify(value),
});
const order = {
  id: 12345678901234567890n.toString(),
  customer: { name: "Zoë Almeida", email: "zoe@example.test", vip: true },
  lines: [
    { sku: "TEA-250", quantity: 2, price: 7.5 },
    { sku: "CUP-01", quantity: 1, price: 12.0 },
  ],
  note: null,
};
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A shop's ordinary quarter of an hour, oldest first. */
export function ordinary(now = Date.now()): Exchange[] {
  const at = (secondsAgo: number) => new Date(now - secondsAgo * 1000);
  return [
    exchange({
      path: "/",
      answerHeaders: { "Content-Type": "text/html; charset=utf-8" },
      answer: "<!doctype html>\n<title>Tea shop</title>\n<script>window.evil = true</script>\n<h1>Tea</h1>\n",
      start: at(840),
    }),
    exchange({
      path: "/assets/app.css",
      answerHeaders: { "Content-Type": "text/css" },
      answer: "body { margin: 0 }\n",
      milliseconds: 3.2,
      start: at(839),
    }),
    exchange({
      path: "/assets/leaf.png",
      answerHeaders: { "Content-Type": "image/png" },
      answer: PIXEL,
      milliseconds: 2.1,
      start: at(838),
    }),
    exchange({
      path: "/favicon.ico",
      status: "404 Not Found",
      answerHeaders: { "Content-Type": "text/plain" },
      answer: "not found\n",
      milliseconds: 1.4,
      start: at(838),
    }),
    exchange({
      path: "/old-page",
      status: "301 Moved Permanently",
      answerHeaders: { Location: "/" },
      milliseconds: 0.9,
      start: at(700),
    }),
    exchange({
      path: "/api/orders?limit=20&cursor=abc",
      headers: { Authorization: "Bearer eyJhbGciOiJIUzI1NiJ9.secret", Cookie: "sid=s3cr3t; theme=dark" },
      ...json({ orders: [order, order] }),
      start: at(640),
    }),
    exchange({
      method: "POST",
      path: "/api/orders",
      headers: {
        "Content-Type": "application/json",
        Authorization: "Bearer eyJhbGciOiJIUzI1NiJ9.secret",
        Cookie: "sid=s3cr3t",
      },
      body: JSON.stringify(order),
      status: "201 Created",
      answerHeaders: {
        "Content-Type": "application/json",
        "Content-Encoding": "gzip",
        "Set-Cookie": "sid=n3w; Path=/; Secure; HttpOnly",
      },
      answer: gzipSync(JSON.stringify({ ...order, state: "accepted" })),
      milliseconds: 84,
      start: at(410),
    }),
    exchange({
      method: "POST",
      path: "/login",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "user=zoe%40example.test&remember=yes",
      status: "303 See Other",
      answerHeaders: { Location: "/account" },
      milliseconds: 120,
      start: at(400),
    }),
    exchange({
      method: "POST",
      path: "/webhooks/payments",
      headers: { "Content-Type": "application/json", "X-Hub-Signature-256": "sha256=deadbeef" },
      body: '{"event":"payment.settled","amount":27.00}',
      status: "500 Internal Server Error",
      answerHeaders: { "Content-Type": "application/json" },
      answer: '{\n  "error": "no such order",\n  trace: 1\n}',
      milliseconds: 1840,
      start: at(180),
    }),
    exchange({
      method: "PUT",
      path: "/api/upload/catalogue.bin",
      headers: { "Content-Type": "application/octet-stream" },
      body: Buffer.from(Array.from({ length: 600 }, (_, index) => index % 256)),
      cut: true,
      status: "204 No Content",
      milliseconds: 610,
      start: at(120),
    }),
    exchange({
      path: "/reports/slow",
      status: "502 Bad Gateway",
      error: "The local service at localhost:8080 refused the connection.",
      milliseconds: 2,
      start: at(45),
    }),
    exchange({
      method: "DELETE",
      path: "/api/orders/1041",
      status: "204 No Content",
      milliseconds: 31,
      start: at(30),
    }),
    exchange({ path: "/events", status: null, milliseconds: null, start: at(4) }),
  ];
}
