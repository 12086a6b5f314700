// Every page of edges in both colour schemes and in high contrast: pictures to look at, and axe finds nothing.
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectAccessible, picture } from "../kit/browser";
import { EdgePages, type Shop } from "../kit/edges";
import { type World } from "../kit/world";

let pages: EdgePages;
let world: World;
let page: Page;

beforeAll(async () => {
  pages = await EdgePages.open();
  ({ world, page } = pages);
});
afterAll(() => pages.close());
beforeEach(() => {
  pages.wrong.length = 0;
});
afterEach(() => {
  expect(pages.wrong, "no violation of the policy, no error in the page").toEqual([]);
});

/** The pages by a place, in which `edge` and `route` stand for what is looked at, and a word that they show. */
const PAGES: readonly (readonly [name: string, place: string, sign: string])[] = [
  ["list", "/edges/https", "looks-"],
  ["new", "/edges/https/new", "One per line"],
  ["edge", "edge", "/…"],
  ["handshake", "edge?tab=handshake", "The routes"],
  ["refused", "edge?tab=refused", "ERR_POSTERN_3203"],
  ["settings", "edge?tab=settings", "Metadata"],
  ["new-route", "edge/routes/new", "Match"],
  ["route", "route", "Trips at 50 %"],
  ["oauth", "route?stage=oauth", "Redirect URI"],
  ["breaker", "route?stage=circuit_breaker", "Counting window"],
  ["headers", "route?stage=request_headers", "Variables"],
  ["route-settings", "route?tab=settings", "Exact path"],
];

describe.each(["light", "dark"] as const)("in %s colours", (colorScheme) => {
  let at: Shop;
  beforeAll(async () => {
    at = await pages.shop(`looks-${colorScheme}.localhost`, {
      ip_restriction: { ip_policy_ids: [pages.policy] },
      circuit_breaker: {},
      compression: { enabled: false },
      request_headers: { add: { "x-edge": "${req.id}" } },
      oauth: {
        provider: { google: { client_id: "app", client_secret: "planted", email_domains: ["example.com"] } },
      },
    });
    await world.visit(`https://looks-${colorScheme}.localhost:${world.httpsPort}/`);
    await page.emulateMedia({ colorScheme });
  });
  afterAll(() => world.manage("DELETE", `/edges/https/${at.edge}`));

  it.each(PAGES)("%s can be read", async (name, place, sign) => {
    await pages.go(place.replace(/^edge/, `/edges/https/${at.edge}`).replace(/^route/, at.place));
    await page.getByText(sign, { exact: false }).first().waitFor();
    await expectAccessible(page);
    for (const [width, height] of [
      [1920, 1080],
      [1280, 800],
    ] as const) {
      await page.setViewportSize({ width, height });
      await picture(page, `edges-${name}-${width}-${colorScheme}`);
    }
  });
});

it.each([
  ["forced", { forcedColors: "active" as const }],
  ["contrast", { contrast: "more" as const }],
])("with %s colours the stages can be told apart", async (name, media) => {
  const { edge, place } = await pages.shop(`${name}.localhost`, {
    compression: { enabled: false },
    circuit_breaker: {},
  });
  await page.emulateMedia({ colorScheme: "light", ...media });
  await pages.go(place);
  await pages.stage("Compression, off").waitFor();
  await pages.stage("Circuit breaker").waitFor();
  await expectAccessible(page);
  await picture(page, `edges-${name}`);
  await page.emulateMedia({ forcedColors: "none", contrast: "no-preference" });
  await world.manage("DELETE", `/edges/https/${edge}`);
});
