// TLS certificates: read in the page while they are pasted, uploaded, shown on a line of time, deleted.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { showApiRequest } from "../kit/console";
import { expect, expectAccessible, picture, testWithWorld } from "../kit/fixtures";

const KEY = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];

/** An authority of its own, and certificates that it has signed. */
class Authority {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    const subject = ["-subj", "/CN=Test authority", "-days", "300"];
    this.#openssl("genpkey", ...KEY, "-out", "ca.key");
    this.#openssl("req", "-x509", "-new", "-key", "ca.key", ...subject, "-out", "ca.pem");
  }

  read(name: string): string {
    return readFileSync(join(this.#folder, name), "utf8");
  }

  /** A certificate for a name and all below it. */
  sign(name: string, days: number): void {
    this.#openssl("genpkey", ...KEY, "-out", `${name}.key`);
    this.#openssl("req", "-new", "-key", `${name}.key`, "-subj", `/CN=${name}`, "-out", `${name}.csr`);
    writeFileSync(
      join(this.#folder, `${name}.ext`),
      `subjectAltName=DNS:${name},DNS:*.${name}
`,
    );
    const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-days", String(days), "-extfile", `${name}.ext`];
    this.#openssl("x509", "-req", "-in", `${name}.csr`, ...by, "-out", `${name}.pem`);
  }

  /** What an operator uploads. */
  pems(name: string): { certificate_pem: string; private_key_pem: string } {
    return { certificate_pem: this.read(`${name}.pem`), private_key_pem: this.read(`${name}.key`) };
  }

  #openssl(...given: string[]): void {
    execFileSync("openssl", given, { cwd: this.#folder, stdio: "pipe" });
  }
}

const test = testWithWorld({ agent: null }).extend<{}, { authority: Authority }>({
  authority: [
    async ({ world }, use) => {
      const authority = new Authority(world.folder);
      authority.sign("shop.test", 200);
      authority.sign("soon.test", 9);
      authority.sign("other.test", 80);
      await use(authority);
    },
    { scope: "worker" },
  ],
});
test.use({ viewport: { width: 1280, height: 800 } });

/** No test sees what another one uploaded. */
test.afterEach(async ({ world }) => {
  const { tls_certificates: left } = await world.manage<{ tls_certificates: { id: string }[] }>(
    "GET",
    "/tls_certificates",
  );
  for (const { id } of left) await world.manage("DELETE", `/tls_certificates/${id}`);
});

test("says that there is none", async ({ page, openConsole }) => {
  await openConsole("/tls_certificates");
  await expect(page.getByText("No certificate is uploaded.")).toBeVisible();
  await expectAccessible(page);
});

test("reads a chain and its key while they are pasted, and says what is wrong", async ({
  page,
  openConsole,
  authority,
}) => {
  await openConsole("/tls_certificates");
  await page.getByRole("button", { name: "Upload a certificate" }).first().click();
  const chain = page.getByLabel("Certificate chain");
  const key = page.getByLabel("Private key");
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await expect(page.getByText("The certificate is required.")).toBeVisible();

  await chain.fill(authority.read("shop.test.key"));
  await expect(page.getByText(/This text contains a private key/)).toBeVisible();
  await chain.fill(authority.read("ca.pem") + authority.read("shop.test.pem"));
  await expect(page.getByText(/The leaf comes first/)).toBeVisible();
  await chain.fill(authority.read("shop.test.pem"));
  await expect(page.getByText(/intermediate certificates are missing/)).toBeVisible();
  await chain.fill(authority.read("shop.test.pem") + authority.read("ca.pem"));
  const parts = page.getByRole("list", { name: "Certificates of the chain" });
  await expect(parts.getByText("shop.test, *.shop.test")).toBeVisible();
  await expect(parts.getByText("Root")).toBeVisible();

  await key.fill(authority.read("other.test.key"));
  await expect(page.getByText("This key belongs to another certificate.")).toBeVisible();
  await key.fill(authority.read("shop.test.key"));
  await expect(page.getByText("The key matches the certificate.")).toBeVisible();
  await showApiRequest(page);
  const preview = page.getByRole("region", { name: "curl command" });
  await expect(preview).toContainText("BEGIN CERTIFICATE");
  await expect(preview).not.toContainText("PRIVATE KEY");
  await expectAccessible(page);
  await picture(page, "certificate-upload");
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await expect(page.getByRole("heading", { name: "shop.test", level: 1 })).toBeVisible();
  await expect(page.getByText("No published address has one of its names.")).toBeVisible();
});

test("shows which published addresses have one of its names", async ({
  page,
  world,
  openConsole,
  authority,
}) => {
  const id = await world.create("/tls_certificates", authority.pems("shop.test"));
  const edge = await world.create("/edges/https", { hostports: ["www.shop.test:443"] });
  await openConsole(`/tls_certificates/${id}`);
  await expect(
    page.getByRole("listitem").filter({ hasText: "www.shop.test" }).getByRole("link", { name: "edge" }),
  ).toBeVisible();
  await expectAccessible(page);
  await picture(page, "certificate");
  await world.manage("DELETE", `/edges/https/${edge}`);
});

test("shows on a line of time which expires first", async ({ page, world, openConsole, authority }) => {
  for (const name of ["shop.test", "soon.test", "other.test"])
    await world.create("/tls_certificates", authority.pems(name));
  await page.emulateMedia({ colorScheme: "dark" });
  await openConsole("/tls_certificates");
  const line = page.getByRole("region", { name: "When certificates expire" });
  await expect(line.getByRole("button", { name: /^soon\.test: in [89] days$/ })).toBeVisible();
  await expect(
    page.getByRole("row", { name: /shop\.test.*in 19\d days.*Test authority.*ECDSA/ }),
  ).toBeVisible();
  await expectAccessible(page);
  await picture(page, "certificates-dark");
});

test("warns on the overview before one expires, and leads there", async ({
  page,
  world,
  openConsole,
  authority,
}) => {
  await world.create("/tls_certificates", authority.pems("soon.test"));
  // Where there is nothing yet, the overview tells the first step.
  const edge = await world.create("/edges/https", { hostports: ["www.soon.test:443"] });
  await openConsole();
  await expect(page.getByText("The certificate of soon.test expires soon")).toBeVisible();
  await page.getByRole("link", { name: "Show details" }).first().click();
  await expect(page.getByRole("heading", { name: "soon.test", level: 1 })).toBeVisible();
  await world.manage("DELETE", `/edges/https/${edge}`);
});

test("deletes one after asking", async ({ page, world, openConsole, authority }) => {
  await world.create("/tls_certificates", authority.pems("other.test"));
  const id = await world.create("/tls_certificates", authority.pems("soon.test"));
  await openConsole(`/tls_certificates/${id}`);
  await page.getByRole("button", { name: "Delete" }).click();
  const asked = page.getByRole("dialog", { name: "Delete soon.test?" });
  await expect(asked.getByText(/Its names are served with another certificate/)).toBeVisible();
  await asked.getByRole("button", { name: "Delete" }).click();
  const line = page.getByRole("region", { name: "When certificates expire" });
  await expect(line.getByRole("button", { name: /^other\.test/ })).toBeVisible();
  await expect(line.getByRole("button", { name: /^soon\.test/ })).toHaveCount(0);
});
