// The inspector of an agent with a tunnel to the site: nothing is captured yet, and the site has heard nothing.
import { expect, testWithWorld, type Page } from "./fixtures";
import type { World } from "./world";

export function testWithInspectedSite() {
  const test = testWithWorld().extend<{}, { url: string }>({
    /** The address of a tunnel to the site. */
    url: [
      async ({ world }, use) => {
        const tunnel = {
          name: "shop",
          proto: "http",
          addr: String(world.site.port),
          ip_restriction: { allow_cidrs: ["127.0.0.0/8", "::1/128"] },
        };
        const { public_url: url } = await world.api<{ public_url: string }>("POST", "/api/tunnels", tunnel);
        await use(url);
      },
      { scope: "worker" },
    ],
  });
  test.beforeEach(async ({ world, url: _ }) => {
    world.site.heard = [];
    await world.api("DELETE", "/api/requests/http");
  });
  return test;
}

export const box = (page: Page) => page.getByRole("combobox", { name: "Filter requests" });
export const row = (page: Page, name: string) => page.getByRole("row", { name });
export const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();
/** The list has so many rows beside its header. */
export const expectRows = (page: Page, rows: number, message?: string) =>
  expect(page.getByRole("grid"), message).toHaveAttribute("aria-rowcount", String(rows + 1));

interface Listed {
  id: string;
  path: string;
  pinned: boolean;
  note: string | null;
}
export const listed = async (world: World, filter: string) => {
  const query = new URLSearchParams({ limit: "1000", filter });
  return (await world.api<{ requests: Listed[] }>("GET", `/api/requests/http/summaries?${query}`)).requests;
};
