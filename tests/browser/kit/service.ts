// A local service that says exactly what it is told to, byte for byte, and visitors that do the same.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { World } from "./world";

export interface Answer {
  status?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

type Talk = (socket: Socket) => void;

const END_OF_HEAD = "\r\n\r\n";

/** Bytes of a message with its length. */
export function message(first: string, headers: Record<string, string>, body: string | Buffer = ""): Buffer {
  const bytes = Buffer.from(body);
  const all = {
    ...headers,
    ...("Transfer-Encoding" in headers ? {} : { "Content-Length": String(bytes.length) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${first}\r\n${lines.join("")}\r\n`), bytes]);
}

export class Service {
  readonly #server: Server;
  readonly #answers = new Map<string, Buffer | Talk>();
  readonly #extensions = new Map<string, string | null>();
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<Service> {
    const service = new Service();
    await new Promise<void>((listening) => service.#server.listen(0, "127.0.0.1", listening));
    return service;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  says(path: string, { status = "200 OK", headers = {}, body = "" }: Answer): void {
    this.#answers.set(path, message(`HTTP/1.1 ${status}`, { ...headers, Connection: "close" }, body));
  }

  /** These bytes and no others. */
  saysBytes(path: string, bytes: Buffer): void {
    this.#answers.set(path, bytes);
  }

  /** Takes the connection over once the request is here. */
  talks(path: string, talk: Talk): void {
    this.#answers.set(path, talk);
  }

  /** Accepts a WebSocket and hands its connection on. */
  websocket(path: string, talk: Talk, extensions: string | null = null): void {
    this.#answers.set(path, talk);
    this.#extensions.set(path, extensions);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((closed) => this.#server.close(closed));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    let read = Buffer.alloc(0);
    const onData = (data: Buffer) => {
      read = Buffer.concat([read, data]);
      const end = read.indexOf(END_OF_HEAD);
      if (end === -1) return;
      const head = read.subarray(0, end).toString("latin1");
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      const chunked = /^transfer-encoding: *chunked/im.test(head);
      const body = read.subarray(end + END_OF_HEAD.length);
      if (chunked ? !body.includes("0\r\n\r\n") : body.length < length) return;
      socket.off("data", onData);
      this.#answer(socket, head);
    };
    socket.on("data", onData);
  }

  #answer(socket: Socket, head: string): void {
    const path = (head.split(" ")[1] ?? "/").split("?")[0] ?? "/";
    const answer = this.#answers.get(path);
    if (answer === undefined)
      return void socket.end(message("HTTP/1.1 404 Not Found", { Connection: "close" }, "no"));
    if (typeof answer !== "function") return void socket.end(answer);
    const key = /^sec-websocket-key: *(.+)$/im.exec(head)?.[1]?.trim();
    if (key !== undefined) {
      const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      const extensions = this.#extensions.get(path);
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n` +
          `${extensions ? `Sec-WebSocket-Extensions: ${extensions}\r\n` : ""}\r\n`,
      );
    }
    answer(socket);
  }
}

/** A visitor that sends these bytes to the address and reads until the connection ends. */
export async function sends(world: World, url: string, bytes: Buffer | string): Promise<string> {
  const socket = visitor(world, url);
  socket.write(bytes);
  return read(socket);
}

/** The visitor's connection, for those who go on talking. */
export function visitor(world: World, url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connectTls({
    host: "127.0.0.1",
    port: Number(port),
    servername: hostname,
    ca: readFileSync(world.authority),
    ALPNProtocols: ["http/1.1"],
  });
  socket.on("error", () => {});
  return socket;
}

async function read(socket: Socket): Promise<string> {
  // Tests need only the beginning of large responses.
  let text = "";
  await new Promise<void>((ended) => {
    socket.on("data", (data: Buffer) => {
      if (text.length < 4096) text += data.toString("latin1");
    });
    socket.on("close", () => ended());
  });
  return text;
}

/** The head of a visitor's request, its path as it stands. */
export function request(
  url: string,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): string {
  const { host } = new URL(url);
  const lines = Object.entries({ Host: host, Connection: "close", ...headers });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

/** One frame of a WebSocket; visitors mask theirs. */
export function frame(opcode: number, payload: Buffer | string, masked: boolean, flags = 0x80): Buffer {
  const data = Buffer.from(payload);
  const length =
    data.length < 126
      ? Buffer.from([data.length | (masked ? 0x80 : 0)])
      : Buffer.from([126 | (masked ? 0x80 : 0), data.length >> 8, data.length & 255]);
  const head = Buffer.concat([Buffer.from([flags | opcode]), length]);
  if (!masked) return Buffer.concat([head, data]);
  const mask = Buffer.from([7, 77, 177, 227]);
  return Buffer.concat([head, mask, Buffer.from(data.map((byte, at) => byte ^ (mask[at % 4] ?? 0)))]);
}
