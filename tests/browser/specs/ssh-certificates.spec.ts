// SSH certificates: an authority, a host's and a user's, each with what is to be saved and pasted where.
import type { Page } from "@playwright/test";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { choose } from "../kit/choose";
import { showApiRequest } from "../kit/console";
import { expect, expectAccessible, picture, testWithWorld } from "../kit/fixtures";
import type { World } from "../kit/world";

const test = testWithWorld({ agent: null }).extend<{}, { authority: string }>({
  authority: [
    ({ world }, use) =>
      world
        .create("/ssh_certificate_authorities", { description: "Signs keys", private_key_type: "ed25519" })
        .then(use),
    { scope: "worker" },
  ],
});
test.use({ viewport: { width: 1280, height: 800 } });

/** A new key pair in the world's folder; answers the public half. */
function publicKey(world: World, name: string): string {
  const path = join(world.folder, name);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path]);
  return readFileSync(`${path}.pub`, "utf8").trim();
}

const shown = (page: Page, file: string) => page.getByRole("region", { name: file, exact: true });

async function chooseAuthority(page: Page, authority: string): Promise<void> {
  await choose(page.getByRole("combobox", { name: "SSH authority" }), /Signs keys/);
  await showApiRequest(page);
  await expect(page.getByRole("region", { name: "curl command" })).toContainText(authority);
}

/** What OpenSSH reads in a certificate that was saved from the page. */
async function saved(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: `Save ${name}` }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(name);
  return execFileSync("ssh-keygen", ["-L", "-f", await download.path()], { encoding: "utf8" });
}

test("makes an authority, and says how it is trusted", async ({ page, openConsole }) => {
  await openConsole("/ssh_certificate_authorities");
  await expect(page.getByText(/There is no SSH authority yet/)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "New SSH authority" }).first().click();
  await page.getByRole("radio", { name: "ECDSA" }).check();
  await expect(page.getByRole("radio", { name: "nistp384" })).toBeVisible();
  await page.getByRole("radio", { name: "Ed25519" }).check();
  await page.getByLabel("Description").fill("Our machines");
  await page.getByRole("button", { name: "Create SSH authority" }).click();
  await expect(page.getByRole("heading", { name: "Our machines", level: 1 })).toBeVisible();
  await expect(shown(page, "~/.ssh/known_hosts")).toHaveText(/^@cert-authority \* ssh-ed25519 AAAA/);
  await expectAccessible(page);
  await picture(page, "ssh-authority");
});

test("says before signing what a host certificate without names is good for, then gives the lines to paste", async ({
  page,
  world,
  openConsole,
  authority,
}) => {
  await openConsole("/ssh_host_certificates/new");
  await chooseAuthority(page, authority);
  await expect(page.getByText(/Without a name the certificate is valid for every host/)).toBeVisible();
  await page.getByLabel("Public key").fill("-----BEGIN OPENSSH PRIVATE KEY-----");
  await page.getByLabel("Host names and addresses").fill("git.example.test\n192.0.2.7");
  await expect(page.getByText("This is a private key.")).toBeVisible();
  await page.getByLabel("Public key").fill(publicKey(world, "host"));
  await expect(page.getByText(/valid for every host/)).toHaveCount(0);
  await page.getByRole("radio", { name: "90 days" }).check();
  await expectAccessible(page);
  await picture(page, "ssh-host-new");
  await page.getByRole("button", { name: "Create SSH host certificate" }).click();
  await expect(page.getByRole("heading", { name: "git.example.test, 192.0.2.7", level: 1 })).toBeVisible();
  expect(await shown(page, "/etc/ssh/sshd_config").textContent()).toBe(
    "HostKey /etc/ssh/ssh_host_ed25519_key\nHostCertificate /etc/ssh/ssh_host_ed25519_key-cert.pub\n",
  );
  await expect(shown(page, "~/.ssh/known_hosts")).toHaveText(
    /^@cert-authority git\.example\.test,192\.0\.2\.7 ssh-ed25519 /,
  );
  await expect(page.getByText("in 89 days").first()).toBeVisible();
  const read = await saved(page, "ssh_host_ed25519_key-cert.pub");
  expect(read).toContain("host certificate");
  expect(read).toMatch(/Principals:\s+git\.example\.test\s+192\.0\.2\.7/);
  await expectAccessible(page);
  await picture(page, "ssh-host-certificate");
});

test("signs for a user, with restrictions", async ({ page, world, openConsole, authority }) => {
  await openConsole("/ssh_user_certificates/new");
  await chooseAuthority(page, authority);
  await expect(page.getByText("Without a name the certificate cannot be used.")).toBeVisible();
  await page.getByLabel("Public key").fill(publicKey(world, "ada"));
  await page.getByLabel("User names").fill("ada");
  await page.getByRole("radio", { name: "8 hours" }).check();
  await page.getByRole("button", { name: "Create SSH user certificate" }).click();
  await expect(page.getByRole("heading", { name: "ada", level: 1 })).toBeVisible();
  expect(await shown(page, "/etc/ssh/sshd_config").textContent()).toBe(
    "TrustedUserCAKeys /etc/ssh/user_ca.pub\n",
  );
  const read = await saved(page, "id_ed25519-cert.pub");
  expect(read).toContain("user certificate");
  expect(read).toMatch(/Principals:\s+ada/);
  await expectAccessible(page);
});

test("says what deleting a user certificate does not do", async ({ page, world, authority, openConsole }) => {
  const id = await world.create("/ssh_user_certificates", {
    ssh_certificate_authority_id: authority,
    public_key: publicKey(world, "bob"),
    principals: ["bob"],
  });
  await openConsole(`/ssh_user_certificates/${id}`);
  await page.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText(/a signed certificate remains valid until it expires/)).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("heading", { name: "SSH user certificates", level: 1 })).toBeVisible();
  await expect(page.getByRole("link", { name: "bob" })).toHaveCount(0);
});
