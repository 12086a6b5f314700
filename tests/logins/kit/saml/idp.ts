// What identity providers of SAML have in common: programs that others wrote, started for a spec, told about one
// service provider, and forms that a visitor's browser carries between them.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer, Until, Visitor } from "../visitor";

/** What a route tells its identity provider. */
export interface ServiceProvider {
  entity: string;
  acs: string;
  slo: string;
  /** In PEM. */
  certificate: string;
  metadata: string;
}

/** A person the identity providers know. */
export const PERSON = { name: "ada", password: "secret", id: "ada@example.test", groups: ["staff", "it"] };

/** A folder with a key and a certificate, gone with the identity provider. */
export class Desk {
  readonly at: string;
  readonly certificate: string;

  constructor(name: string) {
    this.at = mkdtempSync(join(tmpdir(), `postern-${name}-`));
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=idp"].concat(
        ["-keyout", this.path("idp.key"), "-out", this.path("idp.crt")],
      ),
      { stdio: "ignore" },
    );
    this.certificate = readFileSync(this.path("idp.crt"), "utf8");
  }

  path(name: string): string {
    return join(this.at, name);
  }

  clear(): void {
    rmSync(this.at, { recursive: true, force: true });
  }
}

/** A port that no process listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** A program that answers HTTP. */
export class Program {
  #said = "";

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on("data", (data: Buffer) => (this.#said += data.toString()));
    child.stderr?.on("data", (data: Buffer) => (this.#said += data.toString()));
  }

  /** Starts it, and waits until an address answers. */
  static async start(
    command: string,
    words: string[],
    ready: string,
    env: Record<string, string> = {},
  ): Promise<Program> {
    const child = spawn(command, words, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    const program = new Program(child);
    let failed = "";
    child.on("error", (error) => (failed = String(error)));
    const deadline = Date.now() + 60_000;
    for (;;) {
      if (failed !== "" || child.exitCode !== null) throw new Error(`${command} ended: ${failed}${program.said}`);
      if (await fetch(ready, { redirect: "manual" }).then((answer) => answer.status < 500, () => false)) return program;
      if (Date.now() > deadline) throw new Error(`${command} did not answer at ${ready}: ${program.said}`);
      await new Promise((later) => setTimeout(later, 100));
    }
  }

  get said(): string {
    return this.#said.slice(-4000);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((done) => this.child.once("exit", done));
    this.child.kill("SIGKILL");
    await ended;
  }
}

export interface SamlIdp {
  /** What is pasted into the module. */
  metadata: string;
  /** Learns who asks. */
  trust(sp: ServiceProvider): Promise<void>;
  /** From the page that visitors are sent to, back to the edge. */
  logIn(visitor: Visitor, page: Answer, until?: Until): Promise<Answer>;
  stop(): Promise<void>;
}

/** The fields of the one form of a page, and where they are sent. */
export function form(page: Answer): { action: string; fields: Record<string, string> } {
  const action = /<form[^>]*\saction="([^"]*)"/i.exec(page.body)?.[1];
  if (action === undefined) {
    throw new Error(`no form at ${page.url}: ${page.status} ${page.body.replace(/<[^>]+>|\s+/g, " ").slice(0, 600)}`);
  }
  const fields: Record<string, string> = {};
  for (const [input] of page.body.matchAll(/<input\b[^>]*>/gi)) {
    const name = /\sname="([^"]*)"/i.exec(input)?.[1];
    if (name !== undefined) fields[name] = unescaped(/\svalue="([^"]*)"/i.exec(input)?.[1] ?? "");
  }
  return { action: new URL(unescaped(action), page.url).href, fields };
}

/** Sends the form that a script of the page would send: the response, on its way to the edge. */
export async function carry(visitor: Visitor, page: Answer, until?: Until): Promise<Answer> {
  const { action, fields } = form(page);
  if (fields["SAMLResponse"] === undefined) throw new Error(`no response at ${page.url}: ${page.body.slice(0, 600)}`);
  const sent = { SAMLResponse: fields["SAMLResponse"], RelayState: fields["RelayState"] ?? "" };
  return visitor.follow(await visitor.ask(action, { form: sent }), until);
}

function unescaped(text: string): string {
  const named: Record<string, string> = { amp: "&", quot: '"', lt: "<", gt: ">", apos: "'" };
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex: string, decimal: string, name: string) => {
    if (hex) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal) return String.fromCodePoint(Number(decimal));
    return named[name] ?? whole;
  });
}
