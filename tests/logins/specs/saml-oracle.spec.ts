// Hostile answers of an identity provider, judged by a second implementation: whatever we take, it takes as well, and
// reads the same name. What we refuse beyond it is our own strictness.
import { SAML } from "@node-saml/node-saml";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "../../browser/kit/fixtures";

interface Corpus {
  request: string;
  entity: string;
  acs: string;
  issuer: string;
  certificate: string;
  /** Our verdict: the name, or null where we refuse. */
  cases: { name: string; xml: string; name_id: string | null }[];
}

/** The answers, made and judged by the library's own tests a moment ago. */
function corpus(): Corpus {
  const made = process.env["POSTERN_SAML_CORPUS"];
  if (made !== undefined) return JSON.parse(readFileSync(made, "utf8")) as Corpus;
  const folder = mkdtempSync(join(tmpdir(), "postern-saml-"));
  try {
    const path = join(folder, "corpus.json");
    const top = fileURLToPath(new URL("../../..", import.meta.url));
    // The same build as that of all other tests in Rust.
    const words = ["nextest", "run", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast", "-E"];
    words.push("package(postern-logins) & test(the_cases_are_exported_for_other_implementations)");
    execFileSync("cargo", words, { cwd: top, env: { ...process.env, POSTERN_SAML_CORPUS: path }, stdio: "ignore" });
    return JSON.parse(readFileSync(path, "utf8")) as Corpus;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("agrees with every verdict, or is less strict", async () => {
  test.setTimeout(600_000);
  const { request, entity, acs, issuer, certificate, cases } = corpus();
  const others: Record<string, string | null> = {};
  for (const { name, xml } of cases) {
    const saml = new SAML({
      callbackUrl: acs,
      issuer: entity,
      audience: entity,
      idpIssuer: issuer,
      idpCert: certificate,
      wantAssertionsSigned: false,
      wantAuthnResponseSigned: false,
      acceptedClockSkewMs: 120_000,
      validateInResponseTo: "never" as never,
    });
    const answered = await saml
      .validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString("base64") })
      .catch(() => null);
    others[name] = answered?.profile?.nameID ?? null;
  }
  expect(cases.length).toBeGreaterThan(45);
  for (const { name, name_id } of cases) {
    if (name_id !== null) expect(others[name], name).toBe(name_id);
  }
  const taken = cases.filter(({ name_id }) => name_id !== null);
  expect(taken.length, "some must be taken").toBeGreaterThan(2);
  // The forged name is never read, even where that program accepts more than we do.
  for (const [name, read] of Object.entries(others)) expect(read, name).not.toBe("mallory@evil.test");
  expect(request).not.toBe("");
});
