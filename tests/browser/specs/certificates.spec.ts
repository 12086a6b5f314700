// TLS certificates: read in the page while they are pasted, uploaded, shown on a line of time, deleted.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { expectAccessible, launch, open, picture } from "../kit/browser";
import { enterKey } from "../kit/console";
import { World } from "../kit/world";

const folder = mkdtempSync(join(tmpdir(), "certificates-"));
let browser: Browser;
let world: World;
let page: Page;
let wrong: string[];

const openssl = (...given: string[]) => execFileSync("openssl", given, { cwd: folder, stdio: "pipe" });
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const KEY = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];

/** A certificate for a name and all below it, signed by the authority of this test. */
function sign(name: string, days: number): void {
  openssl("genpkey", ...KEY, "-out", `${name}.key`);
  openssl("req", "-new", "-key", `${name}.key`, "-subj", `/CN=${name}`, "-out", `${name}.csr`);
  writeFileSync(join(folder, `${name}.ext`), `subjectAltName=DNS:${name},DNS:*.${name}\n`);
  const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-days", String(days), "-extfile", `${name}.ext`];
  openssl("x509", "-req", "-in", `${name}.csr`, ...by, "-out", `${name}.pem`);
}

beforeAll(async () => {
  openssl("genpkey", ...KEY, "-out", "ca.key");
  openssl(
    "req",
    "-x509",
    "-new",
    "-key",
    "ca.key",
    "-subj",
    "/CN=Test authority",
    "-days",
    "300",
    "-out",
    "ca.pem",
  );
  for (const [name, days] of [
    ["shop.test", 200],
    ["soon.test", 9],
    ["other.test", 80],
  ] as const)
    sign(name, days);
  browser = await launch();
  world = await World.startServerOnly();
});
afterAll(async () => {
  await browser?.close();
  await world?.stop();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
  await page?.context().close();
  expect(wrong, "no violation of the policy, no error in the page").toEqual([]);
});

async function show(place: string, colorScheme: "light" | "dark" = "light"): Promise<void> {
  ({ page, wrong } = await open(browser, `${world.management}/console#${place}`, {
    viewport: { width: 1280, height: 800 },
    colorScheme,
  }));
  await enterKey(page, world.key);
}

it("reads a chain and its key while they are pasted, and says what is wrong", async () => {
  await show("/tls_certificates");
  await page.getByText("No certificate is uploaded.").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Upload a certificate" }).first().click();
  const chain = page.getByLabel("Certificate chain");
  const key = page.getByLabel("Private key");
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await page.getByText("The certificate is required.").waitFor();

  await chain.fill(read("shop.test.key"));
  await page.getByText(/This text contains a private key/).waitFor();
  await chain.fill(read("ca.pem") + read("shop.test.pem"));
  await page.getByText(/The leaf comes first/).waitFor();
  await chain.fill(read("shop.test.pem"));
  await page.getByText(/intermediate certificates are missing/).waitFor();
  await chain.fill(read("shop.test.pem") + read("ca.pem"));
  const parts = page.getByRole("list", { name: "Certificates of the chain" });
  await parts.getByText("shop.test, *.shop.test").waitFor();
  await parts.getByText("Root").waitFor();

  await key.fill(read("other.test.key"));
  await page.getByText("This key belongs to another certificate.").waitFor();
  await key.fill(read("shop.test.key"));
  await page.getByText("The key matches the certificate.").waitFor();
  const preview = page.getByRole("region", { name: "curl command" });
  expect(await preview.textContent()).not.toContain("PRIVATE KEY");
  await expectAccessible(page);
  await picture(page, "certificate-upload");
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await page.getByRole("heading", { name: "shop.test", level: 1 }).waitFor();
  await page.getByText("No published address has one of its names.").waitFor();

  await world.manage("POST", "/edges/https", { hostports: ["www.shop.test:443"] });
  await page.reload();
  await enterKey(page, world.key);
  await page
    .getByRole("listitem")
    .filter({ hasText: "www.shop.test" })
    .getByRole("link", { name: "edge" })
    .waitFor();
  await expectAccessible(page);
  await picture(page, "certificate");
});

it("shows on a line of time which expires first, warns on the overview, and deletes", async () => {
  for (const name of ["soon.test", "other.test"])
    await world.manage("POST", "/tls_certificates", {
      certificate_pem: read(`${name}.pem`),
      private_key_pem: read(`${name}.key`),
    });
  await show("/tls_certificates", "dark");
  const line = page.getByRole("region", { name: "When certificates expire" });
  await line.getByRole("button", { name: /^soon\.test: in [89] days$/ }).waitFor();
  await page.getByRole("row", { name: /shop\.test.*in 19\d days.*Test authority.*ECDSA/ }).waitFor();
  await expectAccessible(page);
  await picture(page, "certificates-dark");
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByText("The certificate of soon.test expires soon").waitFor();
  await page.getByRole("link", { name: "Show details" }).first().click();
  await page.getByRole("heading", { name: "soon.test", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  const asked = page.getByRole("dialog", { name: "Delete soon.test?" });
  await asked.getByText(/Its names are served with another certificate/).waitFor();
  await asked.getByRole("button", { name: "Delete" }).click();
  await line.getByRole("button", { name: /^other\.test/ }).waitFor();
  await line.getByRole("button", { name: /^soon\.test/ }).waitFor({ state: "detached" });
});
