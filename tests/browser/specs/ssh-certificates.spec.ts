// SSH certificates: an authority, a host's and a user's, each with what is to be saved and pasted where.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { expectAccessible, launch, open, picture } from "../kit/browser";
import { enterKey } from "../kit/console";
import { World } from "../kit/world";

const folder = mkdtempSync(join(tmpdir(), "ssh-certificates-"));
let browser: Browser;
let world: World;
let page: Page;
let wrong: string[];

beforeAll(async () => {
  for (const name of ["host", "ada"])
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", join(folder, name)]);
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

async function show(place: string): Promise<void> {
  ({ page, wrong } = await open(browser, `${world.management}/console#${place}`, {
    viewport: { width: 1280, height: 800 },
  }));
  await enterKey(page, world.key);
}

const publicKey = (name: string) => readFileSync(join(folder, `${name}.pub`), "utf8").trim();
const shown = async (file: string) =>
  (await page.getByRole("region", { name: file, exact: true }).textContent()) ?? "";

async function chooseAuthority(): Promise<void> {
  const list = await world.manage<{ ssh_certificate_authorities: { id: string }[] }>(
    "GET",
    "/ssh_certificate_authorities",
  );
  const choice = page.getByLabel("SSH certificate authority");
  await choice.locator("option", { hasText: "Our machines" }).waitFor({ state: "attached" });
  await choice.selectOption(list.ssh_certificate_authorities[0]?.id ?? "");
}

/** What OpenSSH reads in a certificate that was saved from the page. */
async function saved(name: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: `Save ${name}` }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(name);
  const path = join(folder, name);
  await download.saveAs(path);
  return execFileSync("ssh-keygen", ["-L", "-f", path], { encoding: "utf8" });
}

it("makes an authority, and says how it is trusted", async () => {
  await show("/ssh_certificate_authorities");
  await page.getByText(/There is no SSH certificate authority yet/).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "New SSH certificate authority" }).first().click();
  await page.getByRole("radio", { name: "ECDSA" }).check();
  await page.getByRole("radio", { name: "nistp384" }).waitFor();
  await page.getByRole("radio", { name: "Ed25519" }).check();
  await page.getByLabel("Description").fill("Our machines");
  await page.getByRole("button", { name: "Create SSH certificate authority" }).click();
  await page.getByRole("heading", { name: "Our machines", level: 1 }).waitFor();
  expect(await shown("~/.ssh/known_hosts")).toMatch(/^@cert-authority \* ssh-ed25519 AAAA/);
  await expectAccessible(page);
  await picture(page, "ssh-authority");
});

it("says before signing what a host certificate without names is good for, then gives the lines to paste", async () => {
  await show("/ssh_host_certificates/new");
  await chooseAuthority();
  await page.getByText(/Without a name the certificate is valid for every host/).waitFor();
  await page.getByLabel("Public key").fill("-----BEGIN OPENSSH PRIVATE KEY-----");
  await page.getByLabel("Host names and addresses").fill("git.example.test\n192.0.2.7");
  await page.getByText("This is a private key.").waitFor();
  await page.getByLabel("Public key").fill(publicKey("host"));
  expect(await page.getByText(/valid for every host/).count()).toBe(0);
  await page.getByRole("radio", { name: "90 days" }).check();
  await expectAccessible(page);
  await picture(page, "ssh-host-new");
  await page.getByRole("button", { name: "Create SSH host certificate" }).click();
  await page.getByRole("heading", { name: "git.example.test, 192.0.2.7", level: 1 }).waitFor();
  expect(await shown("/etc/ssh/sshd_config")).toBe(
    "HostKey /etc/ssh/ssh_host_ed25519_key\nHostCertificate /etc/ssh/ssh_host_ed25519_key-cert.pub\n",
  );
  expect(await shown("~/.ssh/known_hosts")).toMatch(
    /^@cert-authority git\.example\.test,192\.0\.2\.7 ssh-ed25519 /,
  );
  await page.getByText("in 89 days").first().waitFor();
  const read = await saved("ssh_host_ed25519_key-cert.pub");
  expect(read).toContain("host certificate");
  expect(read).toMatch(/Principals:\s+git\.example\.test\s+192\.0\.2\.7/);
  await expectAccessible(page);
  await picture(page, "ssh-host-certificate");
});

it("signs for a user, with restrictions", async () => {
  await show("/ssh_user_certificates/new");
  await chooseAuthority();
  await page.getByText("Without a name the certificate cannot be used.").waitFor();
  await page.getByLabel("Public key").fill(publicKey("ada"));
  await page.getByLabel("User names").fill("ada");
  await page.getByRole("radio", { name: "8 hours" }).check();
  await page.getByRole("button", { name: "Create SSH user certificate" }).click();
  await page.getByRole("heading", { name: "ada", level: 1 }).waitFor();
  expect(await shown("/etc/ssh/sshd_config")).toBe("TrustedUserCAKeys /etc/ssh/user_ca.pub\n");
  const read = await saved("id_ed25519-cert.pub");
  expect(read).toContain("user certificate");
  expect(read).toMatch(/Principals:\s+ada/);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText(/a signed certificate remains valid until it expires/).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No user certificate has been signed yet.").waitFor();
});
