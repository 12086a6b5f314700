// What the specs start with: pages that are watched, and the programs behind them.
import { test as base, expect, type BrowserContext } from "@playwright/test";
import { join } from "node:path";
import { signIn } from "./console";
import { FakeAgent, PAGES, POLICY, typeOf } from "./fake-agent";
import { World } from "./world";

export { expect };
export type { Page } from "@playwright/test";
export { expectAccessible, expectReadable, picture } from "./judge";

/** A server and an agent take their time to start on a busy machine. */
const STARTING = { scope: "worker", timeout: 90_000 } as const;

interface Watched {
  /** Violations of the content security policy and uncaught errors of every page; a test fails with any of them. */
  wrong: string[];
  /** What among them is part of a spec. */
  expected: RegExp | null;
}

export const test = base.extend<Watched>({
  expected: [null, { option: true }],
  wrong: [
    async ({ expected }, use) => {
      const wrong: string[] = [];
      await use(wrong);
      const unexpected = wrong.filter((words) => !expected?.test(words));
      expect(unexpected, "no violation of the policy, no error in the page").toEqual([]);
    },
    { auto: true },
  ],
  context: async ({ context, wrong }, use) => {
    await watch(context, wrong);
    await serveBuiltPages(context);
    await use(context);
  },
});

/** With POSTERN_PAGES=1 pages are those of ui/dist, not those in the programs: they change without Rust. */
async function serveBuiltPages(context: BrowserContext): Promise<void> {
  if (process.env["POSTERN_PAGES"] !== "1") return;
  await context.route(/\/console(\/|$)/, async (route) => {
    const { pathname } = new URL(route.request().url());
    // A real redirect would lead past this function.
    if (pathname === "/console")
      return route.fulfill({ contentType: "text/html", body: '<meta http-equiv="refresh" content="0;url=/console/">' });
    const path = pathname.replace("/console/", "");
    const file = join(PAGES, path === "" ? "console.html" : path);
    await route.fulfill({ path: file, headers: { "Content-Security-Policy": POLICY, "Content-Type": typeOf(file) } });
  });
}

/** The same for the pages of the agent, which are at its root. */
async function serveAgentPages(context: BrowserContext, agent: string): Promise<void> {
  if (process.env["POSTERN_PAGES"] !== "1") return;
  const isPage = (url: URL) =>
    url.origin === agent && /^\/(?:(?:inspector|index)\.html|assets\/[^/]+)?$/.test(url.pathname);
  await context.route(isPage, async (route) => {
    const { pathname } = new URL(route.request().url());
    const file = join(PAGES, pathname === "/" ? "inspector.html" : pathname);
    await route.fulfill({ path: file, headers: { "Content-Security-Policy": POLICY, "Content-Type": typeOf(file) } });
  });
}

async function watch(context: BrowserContext, wrong: string[]): Promise<void> {
  await context.exposeFunction("reportViolation", (words: string) => wrong.push(words));
  await context.addInitScript(() => {
    const report = (words: string) =>
      void (window as unknown as { reportViolation(words: string): void }).reportViolation(words);
    document.addEventListener("securitypolicyviolation", (event) =>
      report(
        `policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`,
      ),
    );
  });
  context.on("weberror", (error) => wrong.push(`error: ${error.error().message}`));
  context.on("console", (message) => {
    // A refused or broken request is reported by the browser itself and is part of some specs.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      wrong.push(`console: ${message.text()}`);
  });
}

/** Every test has a stand-in for the agent; addresses of pages are relative to it. */
export const testWithFakeAgent = test.extend<{ agent: FakeAgent }>({
  agent: async ({}, use) => {
    const agent = await FakeAgent.start();
    await use(agent);
    await agent.stop();
  },
  baseURL: ({ agent }, use) => use(agent.url),
});

interface Surroundings {
  /** Further arguments of the server. */
  server?: readonly string[];
  /** Further lines of the agent's configuration; null where no agent is wanted. */
  agent?: readonly string[] | null;
}

interface WorldPages {
  /** Opens a page of the agent and waits until it is online. */
  openAgent(path?: string): Promise<void>;
  /** Opens a place of the server's console with the administrator's key. */
  openConsole(place?: string): Promise<void>;
}

/**
 * Tests that share the real programs. Each call makes a world of its own, so that no file sees what another one left.
 * Addresses of pages are relative to the agent, or to the server's management API where there is no agent.
 */
export function testWithWorld({ server = [], agent = [] }: Surroundings = {}) {
  return test.extend<WorldPages, { world: World }>({
    world: [
      async ({}, use) => {
        const world = await (agent === null ? World.startServerOnly(server) : World.start(server, agent));
        await use(world);
        await world.stop();
      },
      STARTING,
    ],
    baseURL: ({ world }, use) => use(agent === null ? world.management : world.url),
    openAgent: ({ page, context, world }, use) =>
      use(async (path = "/") => {
        await serveAgentPages(context, world.url);
        await page.goto(`${world.url}${path}`);
        await expect(page.getByText("Online")).toBeVisible();
      }),
    openConsole: ({ page, world }, use) =>
      use(async (place) => {
        await page.goto(`${world.management}/console/${place === undefined ? "" : `#${place}`}`);
        await signIn(page, world.key);
      }),
  });
}
