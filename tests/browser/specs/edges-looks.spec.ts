// Every page of edges in both colour schemes and in high contrast: pictures to look at, and axe finds nothing.
import { testWithEdges, type Shop } from "../kit/edges";
import { expect, expectAccessible, picture } from "../kit/fixtures";

const test = testWithEdges();

/** The pages by a place, in which `edge` and `route` stand for what is looked at, and a word that they show. */
const PAGES: readonly (readonly [name: string, place: string, sign: string])[] = [
  ["list", "/edges/https", "looks-"],
  ["new", "/edges/https/new", "One per line"],
  ["edge", "edge", "/…"],
  ["handshake", "edge?tab=handshake", "The routes"],
  ["traffic", "edge?tab=traffic", "1 request: 1 refused"],
  ["refused", "edge?tab=refused", "ERR_POSTERN_3203"],
  ["settings", "edge?tab=settings", "Metadata"],
  ["new-route", "edge/routes/new", "Match"],
  ["route", "route", "Opens for 10 seconds"],
  ["oauth", "route?stage=oauth", "Redirect URI"],
  ["breaker", "route?stage=circuit_breaker", "Counting window"],
  ["headers", "route?stage=request_headers", "Variables"],
  ["route-settings", "route?tab=settings", "Exact path"],
];

for (const colorScheme of ["light", "dark"] as const)
  test.describe(`in ${colorScheme} colours`, () => {
    const looks = test.extend<{}, { at: Shop }>({
      /** An edge that has had a visitor. */
      at: [
        async ({ world, edges }, use) => {
          const at = await edges.shop(`looks-${colorScheme}.localhost`, {
            ip_restriction: { ip_policy_ids: [edges.policy] },
            circuit_breaker: {},
            compression: { enabled: false },
            request_headers: { add: { "x-edge": "${req.id}" } },
            oauth: {
              provider: {
                google: { client_id: "app", client_secret: "planted", email_domains: ["example.com"] },
              },
            },
          });
          await world.visit(`https://looks-${colorScheme}.localhost:${world.httpsPort}/`);
          await use(at);
        },
        { scope: "worker" },
      ],
    });
    looks.use({ colorScheme });

    for (const [name, place, sign] of PAGES)
      looks(`${name} can be read`, async ({ page, pages, at }) => {
        await pages.go(place.replace(/^edge/, `/edges/https/${at.edge}`).replace(/^route/, at.place));
        await expect(page.getByText(sign, { exact: false }).first()).toBeVisible();
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

for (const [name, media] of [
  ["forced", { forcedColors: "active" as const }],
  ["contrast", { contrast: "more" as const }],
] as const)
  test(`with ${name} colours the stages can be told apart`, async ({ page, edges, pages }) => {
    const { place } = await edges.shop(`${name}.localhost`, {
      compression: { enabled: false },
      circuit_breaker: {},
    });
    await page.emulateMedia({ colorScheme: "light", ...media });
    await pages.go(place);
    await expect(pages.stage("Compression, off")).toBeVisible();
    await expect(pages.stage("Circuit breaker")).toBeVisible();
    await expectAccessible(page);
    await picture(page, `edges-${name}`);
  });
