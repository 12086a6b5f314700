// The inspector shows payloads that were sent to harm the person who views them: nothing runs, nothing freezes, nothing
// is asked from anybody but the agent. All of it went through the real server and agent.
import { CORPUS, EVIL, MARKUP } from "../kit/corpus";
import { expect } from "../kit/fixtures";
import { testWithService, type Inspector } from "../kit/inspector";
import { frame, message } from "../kit/service";
import { Watch, type Step } from "../kit/watch";

const TITLE = "Postern inspector";
const MB = 1024 * 1024;

const test = testWithService([`inspect_body_size: ${256 * MB}`, `inspect_db_size: ${1100 * MB}`]).extend<{
  watch: Watch;
}>({
  watch: async ({ inspector: { page, world }, openAgent }, use) => use(new Watch(page, world.url, openAgent)),
});
test.use({
  viewport: { width: 1280, height: 800 },
  // That the policy refused what was hostile is no failure.
  expected: /^(?:policy|console): /,
  // Snapshots are taken by the page itself, and it is measured how long the page is busy.
  trace: { mode: "retain-on-failure", snapshots: false, screenshots: false },
});

/** A request is selected, and one of its tabs. */
const selection = (inspector: Inspector, path: string, tab: string): Step => ({
  name: tab,
  act: async () => {
    await inspector.select(path, tab);
    await expect(inspector.panel).toBeVisible();
  },
});

test.describe("a hostile corpus in captured traffic", () => {
  test.describe.configure({ timeout: 180_000 });

  for (const path of Object.keys(CORPUS))
    test(`${path} does no harm`, async ({ page, inspector, watch }) => {
      const { ways = [], shows, ...answer } = (CORPUS[path] as (typeof CORPUS)[string])();
      inspector.service.says(path, answer);
      await inspector.visit(`${path}?corpus`);
      await expect(inspector.row(`${path}?corpus`)).toBeVisible();
      const busy = await watch.quick(
        {
          name: path,
          act: async () => {
            await inspector.select(`${path}?corpus`);
            await expect(inspector.panel.getByText(shows).first()).toBeVisible();
          },
        },
        ...ways.map((way) => ({
          name: `${path} as ${way}`,
          act: async () => {
            await page.getByRole("button", { name: way, exact: true }).click();
            await expect(page.getByRole("button", { name: way, exact: true, pressed: true })).toBeVisible();
            await expect(inspector.panel.getByText("Loading…")).toHaveCount(0);
            // What would act has half a second to do so.
            if (way === "Page" || way === "Image") await page.waitForTimeout(500);
          },
        })),
      );
      process.stdout.write(`${path}: busy for at most ${busy.toFixed(0)} ms at once\n`);
      await watch.harmless(TITLE);
    });

  test("a page is shown with its words and its styles, and with nothing else", async ({
    page,
    inspector,
    watch,
  }) => {
    inspector.service.says("/page", (CORPUS["/page"] as (typeof CORPUS)[string])());
    await inspector.visit("/page?shown");
    await inspector.select("/page?shown");
    await page.getByRole("button", { name: "Page", exact: true }).click();
    const shown = page.frameLocator("iframe");
    await expect(shown.getByRole("heading", { name: "A page to look at" })).toBeVisible();
    const heading = shown.getByRole("heading");
    await expect(heading).toHaveCSS("color", "rgb(1, 2, 3)");
    await expect(shown.locator("body")).toHaveCSS("padding-left", "7px");
    await expect(
      shown.locator("script, iframe, object, embed, [href^=http], [onerror], meta[http-equiv=refresh]"),
    ).toHaveCount(0);
    // What leads away leads nowhere, also when it is followed.
    await shown.getByText("away", { exact: true }).click();
    await shown.getByRole("button", { name: "send" }).click();
    await watch.harmless(TITLE);
  });

  test("names and values of headers, paths and names of tunnels are text", async ({
    page,
    world,
    inspector,
    watch,
  }) => {
    inspector.service.saysBytes(
      "/headers",
      message(
        "HTTP/1.1 200 OK",
        {
          "Content-Type": "text/plain",
          Connection: "close",
          "X-Markup": MARKUP,
          "X-Deceive": "\u202Egnp.exe\u200B",
          "X-Long": "x".repeat(30_000),
          "Set-Cookie": `${MARKUP}=1`,
          Location: `javascript:alert(1)//${EVIL}`,
        },
        "ok",
      ),
    );
    const path = `/headers?<script>window.ran=1</script><img/src=x/onerror=window.ran=1>`;
    await inspector.visit(path, { "X-Markup": MARKUP, Referer: `${EVIL}/${MARKUP}` });
    await inspector.visit("/headers?plain", { "X-Markup": MARKUP, "User-Agent": `${MARKUP}\t\u202E` });
    await expect(inspector.row("/headers?plain")).toBeVisible();
    await watch.quick(
      ...["Overview", "Headers", "Request", "Response", "Raw"].map((tab) =>
        selection(inspector, "/headers?plain", tab),
      ),
    );
    const names = ["<img src=x onerror=window.ran=1>", "x\u202Etxt.exe"];
    for (const name of names) {
      // Whether the agent takes such a name or refuses it, the page shows text.
      await world
        .api("POST", "/api/tunnels", { name, proto: "http", addr: String(inspector.service.port) })
        .catch(() => {});
    }
    await page.reload();
    await expect(page.getByText("Online")).toBeVisible();
    await watch.harmless(TITLE);
  });

  test("messages and events are text", async ({ inspector, watch }) => {
    inspector.service.websocket("/socket", (socket) => {
      for (let number = 0; number < 50; number += 1)
        socket.write(frame(1, `{"n":${number},"x":${JSON.stringify(MARKUP)}}`, false));
      socket.write(frame(2, Buffer.alloc(40_000, 255), false));
      socket.end(frame(8, Buffer.concat([Buffer.from([3, 232]), Buffer.from(MARKUP.slice(0, 100))]), false));
    });
    const socket = inspector.upgrade("/socket");
    await expect(inspector.row("/socket")).toBeVisible();
    await watch.quick({
      name: "messages",
      act: async () => {
        await inspector.select("/socket", "Messages");
        await expect(inspector.panel.getByText("1000 normal")).toBeVisible();
        await inspector.panel.getByRole("listitem").filter({ hasText: '{"n":' }).last().click();
        await expect(inspector.panel.getByRole("treeitem").first()).toBeVisible();
      },
    });
    socket.destroy();
    inspector.service.says("/events", {
      headers: { "Content-Type": "text/event-stream" },
      body: `event: ${MARKUP}\ndata: ${MARKUP}\n\n`.repeat(300),
    });
    await inspector.visit("/events");
    await watch.quick({
      name: "events",
      act: async () => {
        await inspector.select("/events", "Messages");
        await expect(inspector.panel.getByRole("listitem").first()).toBeVisible();
      },
    });
    await watch.harmless(TITLE);
  });

  test("two hundred megabytes are looked at without being loaded", async ({ page, inspector, watch }) => {
    const line = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n";
    inspector.service.says("/large", {
      headers: { "Content-Type": "text/plain" },
      body: Buffer.alloc(200 * MB, line),
    });
    await inspector.visit("/large");
    let loaded = 0;
    page.on("response", (response) => {
      loaded += Number(response.headers()["content-length"] ?? 0);
    });
    await expect(inspector.row("/large")).toBeVisible();
    await watch.quick(
      {
        name: "the beginning",
        act: async () => {
          loaded = 0;
          await inspector.select("/large");
          await expect(inspector.panel.getByText("Bytes 0 to 4,194,303")).toBeVisible();
          await expect(inspector.panel.getByText("0123456789abcdef").first()).toBeVisible();
        },
      },
      {
        name: "another page",
        act: async () => {
          await page.getByRole("spinbutton", { name: "Page" }).fill("50");
          await expect(inspector.panel.getByText("Bytes 205,520,896 to 209,715,199")).toBeVisible();
          await expect(inspector.panel.getByText("0123456789abcdef").first()).toBeVisible();
        },
      },
      {
        name: "the bytes",
        act: async () => {
          await page.keyboard.press("Escape");
          await inspector.select("/large");
          await page.getByRole("button", { name: "Hex", exact: true }).click();
          await expect(inspector.panel.getByText("30 31 32 33").first()).toBeVisible();
        },
      },
      ...["Overview", "Headers", "Raw"].map((tab) => selection(inspector, "/large", tab)),
    );
    await expect(inspector.panel.getByText("HTTP/1.1").first()).toBeVisible();
    expect(loaded, "of 200 MB only what was looked at was read").toBeLessThan(40 * MB);
    await watch.harmless(TITLE);
  });
});
