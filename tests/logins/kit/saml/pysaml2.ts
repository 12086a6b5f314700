// An identity provider made of pysaml2. It logs in without a form, and requires signed requests.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Answer, Until, Visitor } from "../visitor";
import { carry, Desk, freePort, Program, type SamlIdp, type ServiceProvider } from "./idp";

export class PySaml2 implements SamlIdp {
  metadata = "";

  private constructor(
    private readonly desk: Desk,
    private readonly program: Program,
  ) {}

  /** `weak`: it signs with SHA-1, as it does unless it is told otherwise. */
  static async start(strength: "strong" | "weak" = "strong"): Promise<PySaml2> {
    const python = process.env["POSTERN_PYSAML2"] ?? "python3";
    const desk = new Desk("pysaml2");
    const port = await freePort();
    const described = `http://127.0.0.1:${port}/metadata`;
    const script = fileURLToPath(new URL("pysaml2_idp.py", import.meta.url));
    const program = await Program.start(python, [script, desk.at, String(port), strength], described);
    const idp = new PySaml2(desk, program);
    idp.metadata = await (await fetch(described)).text();
    return idp;
  }

  async trust(sp: ServiceProvider): Promise<void> {
    writeFileSync(this.desk.path("sp.xml"), sp.metadata);
  }

  async logIn(visitor: Visitor, page: Answer, until?: Until): Promise<Answer> {
    return carry(visitor, page, until);
  }

  async stop(): Promise<void> {
    await this.program.stop();
    this.desk.clear();
  }
}
