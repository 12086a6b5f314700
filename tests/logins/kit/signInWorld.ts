// A server whose console sends people to a provider. The provider must know the server's address and the server the
// provider's, so the settings are in a file that is completed once both run.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { World } from "../../browser/kit/world";
import { Visitor, type Answer } from "./visitor";

export class SignInWorld {
  readonly world: World;
  readonly #folder: string;

  private constructor(world: World, folder: string) {
    this.world = world;
    this.#folder = folder;
  }

  static async start(): Promise<SignInWorld> {
    const folder = mkdtempSync(join(tmpdir(), "postern-sign-in-"));
    writeFileSync(join(folder, "secret"), "edge-secret\n", { mode: 0o600 });
    const file = join(folder, "server.yml");
    writeFileSync(file, "log_level: info\n");
    return new SignInWorld(await World.startServerOnly(["--config", file]), folder);
  }

  /** Where providers send browsers back to. */
  get callback(): string {
    return `${this.world.management}/console_sign_in/callback`;
  }

  /** The address that begins a sign-in. */
  get begin(): string {
    return `${this.world.management}/console_sign_in/oidc`;
  }

  /** The server has this provider from now on. */
  async use(issuer: string, settings: Record<string, string> = {}): Promise<void> {
    const all = {
      issuer,
      client_id: "edge",
      client_secret_file: join(this.#folder, "secret"),
      scopes: "openid,email,profile,groups",
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `console_oidc_${name}: ${JSON.stringify(value)}\n`);
    writeFileSync(join(this.#folder, "server.yml"), lines.join(""));
    await this.world.endServer();
    await this.world.startServer();
  }

  visitor(): Visitor {
    return new Visitor(this.world.authority);
  }

  /** What a browser with these cookies is told about its session. */
  current(visitor: Visitor): Promise<Answer> {
    const headers = { "Console-Session": "active", "Service-Version": "2", "Sec-Fetch-Site": "same-origin" };
    return visitor.ask(`${this.world.management}/console_sessions/current`, { headers });
  }

  async stop(): Promise<void> {
    await this.world.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Status and code of an error, whether it is a page or JSON. */
export function failure(answer: Answer): string {
  const code = /ERR_POSTERN_\d+/.exec(answer.body)?.[0] ?? "no code";
  return `${answer.status} ${code}`;
}
