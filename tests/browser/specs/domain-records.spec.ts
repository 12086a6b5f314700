// The page of a reserved domain: which records it needs in DNS, to be copied, and what name servers answer.
import { copied } from "../kit/clipboard";
import { expect, expectAccessible, picture, testWithWorld } from "../kit/fixtures";

const test = testWithWorld({ agent: null });
test.use({ viewport: { width: 1280, height: 800 }, permissions: ["clipboard-read", "clipboard-write"] });

test("lists the records of a wildcard with the reasons, and copies them", async ({
  page,
  openConsole,
  world,
}) => {
  const policy = { authority: "letsencrypt", private_key_type: "ecdsa" };
  const body = { domain: "*.shop.example", certificate_management_policy: policy };
  const id = await world.create("/reserved_domains", body);
  await openConsole(`/reserved_domains/${id}`);
  const table = page.getByRole("region", { name: "Table of DNS records" }).getByRole("table");
  const traffic = table.getByRole("row").filter({ has: page.getByText("*.shop.example", { exact: true }) });
  await expect(traffic).toContainText("CNAME");
  // No name server is at the address that the server was started with.
  await expect(traffic).toContainText("It could not be looked up: the name server 127.0.0.1:1");
  await expect(table.getByText("_acme-challenge.shop.example", { exact: true })).toBeVisible();
  await traffic.getByRole("button", { name: "Copy *.shop.example" }).click();
  await expect.poll(() => copied(page)).toBe("*.shop.example");
  await traffic.getByRole("button", { name: "Copy localhost" }).click();
  await expect.poll(() => copied(page)).toBe("localhost");
  await expectAccessible(page);
  await picture(page, "domain-records");
});

test("a name on this machine needs none", async ({ page, openConsole, world }) => {
  const id = await world.create("/reserved_domains", { domain: "shop.localhost" });
  await openConsole(`/reserved_domains/${id}`);
  await expect(page.getByText("A name on this machine needs no records.")).toBeVisible();
});
