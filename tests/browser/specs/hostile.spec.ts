// The inspector shows payloads that were sent to harm the person who views them: nothing runs, nothing freezes, nothing is asked from
// anybody but the agent. All of it went through the real server and agent.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launch, open } from "../kit/browser";
import { CORPUS, EVIL, MARKUP } from "../kit/corpus";
import { frame, message, request, sends, Service, visitor } from "../kit/service";
import { Watch } from "../kit/watch";
import { externalAgent, World } from "../kit/world";

const TITLE = "Postern inspector";
const MB = 1024 * 1024;

describe.skipIf(externalAgent !== null)("a hostile corpus in captured traffic", { timeout: 180_000 }, () => {
  let browser: Browser;
  let world: World;
  let service: Service;
  let url: string;
  let page: Page;
  let wrong: string[];
  let watch: Watch;

  beforeAll(async () => {
    browser = await launch();
    service = await Service.start();
    world = await World.start([], [`inspect_body_size: ${256 * MB}`, `inspect_db_size: ${600 * MB}`]);
    ({ public_url: url } = await world.api<{ public_url: string }>("POST", "/api/tunnels", {
      name: "hostile",
      proto: "http",
      addr: String(service.port),
    }));
    ({ page, wrong } = await open(browser, `${world.url}/`, { viewport: { width: 1280, height: 800 } }));
    await page.getByText("Online").waitFor();
    watch = await Watch.over(page, world.url);
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
    await world?.stop();
    await service?.stop();
  });

  beforeEach(() => {
    wrong.length = 0;
  });

  const select = async (path: string, tab = "Response") => {
    await page.getByRole("row", { name: path }).first().click();
    await page.getByRole("tab", { name: tab, exact: true }).click();
  };
  /** That the policy refused what was hostile is no failure. */
  const failures = () => wrong.filter((words) => words.startsWith("error: "));
  // One that goes stays for a moment beside the one that comes.
  const panel = () => page.locator("[role=tabpanel]:not([inert])");

  it.each(Object.keys(CORPUS))("%s does no harm", async (path) => {
    const { ways = [], shows, ...answer } = (CORPUS[path] as (typeof CORPUS)[string])();
    service.says(path, answer);
    await sends(world, url, request(url, `${path}?corpus`));
    await page.getByRole("row", { name: `${path}?corpus` }).waitFor();
    const longest = [
      await watch.quick(path, async () => {
        await select(`${path}?corpus`);
        await panel().getByText(shows).first().waitFor();
      }),
    ];
    for (const way of ways) {
      longest.push(
        await watch.quick(`${path} as ${way}`, async () => {
          await page.getByRole("button", { name: way, exact: true }).click();
          await page.getByRole("button", { name: way, exact: true, pressed: true }).waitFor();
          await panel().getByText("Loading…").waitFor({ state: "detached" });
          await page.waitForTimeout(way === "Page" || way === "Image" ? 500 : 0);
        }),
      );
    }
    // The way that was chosen last for a kind stays chosen; the next of the kind shall begin as the first did.
    if (ways.length > 0)
      await page
        .getByRole("group", { name: /^View the response body as/ })
        .getByRole("button")
        .first()
        .click();
    process.stdout.write(`${path}: busy for at most ${Math.max(...longest).toFixed(0)} ms at once\n`);
    await watch.harmless(TITLE);
    expect(failures()).toEqual([]);
    await page.keyboard.press("Escape");
  });

  it("a page is shown with its words and its styles, and with nothing else", async () => {
    service.says("/page", (CORPUS["/page"] as (typeof CORPUS)[string])());
    await sends(world, url, request(url, "/page?shown"));
    await select("/page?shown");
    await page.getByRole("button", { name: "Page", exact: true }).click();
    const shown = page.frameLocator("iframe");
    await shown.getByRole("heading", { name: "A page to look at" }).waitFor();
    const heading = shown.getByRole("heading");
    expect(await heading.evaluate((element) => getComputedStyle(element).color)).toBe("rgb(1, 2, 3)");
    expect(await shown.locator("body").evaluate((element) => getComputedStyle(element).paddingLeft)).toBe(
      "7px",
    );
    expect(
      await shown
        .locator("script, iframe, object, embed, [href^=http], [onerror], meta[http-equiv=refresh]")
        .count(),
    ).toBe(0);
    // What leads away leads nowhere, also when it is followed.
    await shown.getByText("away", { exact: true }).click();
    await shown.getByRole("button", { name: "send" }).click();
    await watch.harmless(TITLE);
  });

  it("names and values of headers, paths and names of tunnels are text", async () => {
    service.saysBytes(
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
    await sends(world, url, request(url, path, { "X-Markup": MARKUP, Referer: `${EVIL}/${MARKUP}` }));
    await sends(
      world,
      url,
      request(url, "/headers?plain", { "X-Markup": MARKUP, "User-Agent": `${MARKUP}\t\u202E` }),
    );
    await page.getByRole("row", { name: "/headers?plain" }).waitFor();
    for (const tab of ["Overview", "Headers", "Request", "Response", "Raw"]) {
      await watch.quick(tab, async () => {
        await select("/headers?plain", tab);
        await panel().waitFor();
      });
    }
    const names = ["<img src=x onerror=window.ran=1>", "x\u202Etxt.exe"];
    for (const name of names) {
      // Whether the agent takes such a name or refuses it, the page shows text.
      await world
        .api("POST", "/api/tunnels", { name, proto: "http", addr: String(service.port) })
        .catch(() => {});
    }
    await page.reload();
    await page.getByText("Online").waitFor();
    await watch.harmless(TITLE);
    expect(failures()).toEqual([]);
  });

  it("messages and events are text", async () => {
    watch = await Watch.over(page, world.url);
    service.websocket("/socket", (socket) => {
      for (let number = 0; number < 50; number += 1)
        socket.write(frame(1, `{"n":${number},"x":${JSON.stringify(MARKUP)}}`, false));
      socket.write(frame(2, Buffer.alloc(40_000, 255), false));
      socket.end(frame(8, Buffer.concat([Buffer.from([3, 232]), Buffer.from(MARKUP.slice(0, 100))]), false));
    });
    const socket = visitor(world, url);
    socket.write(
      request(url, "/socket", {
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      }),
    );
    await page.getByRole("row", { name: "/socket" }).waitFor();
    await watch.quick("messages", async () => {
      await select("/socket");
      await panel().getByText("1000 normal").waitFor();
      await panel().getByRole("listitem").filter({ hasText: '{"n":' }).last().click();
      await panel().getByRole("treeitem").first().waitFor();
    });
    socket.destroy();
    service.says("/events", {
      headers: { "Content-Type": "text/event-stream" },
      body: `event: ${MARKUP}\ndata: ${MARKUP}\n\n`.repeat(300),
    });
    await sends(world, url, request(url, "/events"));
    await watch.quick("events", async () => {
      await select("/events");
      await panel().getByRole("listitem").first().waitFor();
    });
    await watch.harmless(TITLE);
    expect(failures()).toEqual([]);
  });

  it("two hundred megabytes are looked at without being loaded", async () => {
    const line = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n";
    service.says("/large", { headers: { "Content-Type": "text/plain" }, body: Buffer.alloc(200 * MB, line) });
    await sends(world, url, request(url, "/large"));
    let loaded = 0;
    page.on("response", (response) => {
      loaded += Number(response.headers()["content-length"] ?? 0);
    });
    await page.getByRole("row", { name: "/large" }).waitFor();
    await watch.quick("the beginning", async () => {
      await select("/large");
      await panel().getByText("Bytes 0 to 4,194,303").waitFor();
      await panel().getByText("0123456789abcdef").first().waitFor();
    });
    await watch.quick("another page", async () => {
      await page.getByRole("spinbutton", { name: "Page" }).fill("50");
      await panel().getByText("Bytes 205,520,896 to 209,715,199").waitFor();
      await panel().getByText("0123456789abcdef").first().waitFor();
    });
    await watch.quick("the bytes", async () => {
      await page.keyboard.press("Escape");
      await select("/large");
      await page.getByRole("button", { name: "Hex", exact: true }).click();
      await panel().getByText("30 31 32 33").first().waitFor();
    });
    for (const tab of ["Overview", "Headers", "Raw"]) {
      await watch.quick(tab, async () => {
        await select("/large", tab);
        await panel().waitFor();
      });
    }
    await panel().getByText("HTTP/1.1").first().waitFor();
    expect(loaded, "of 200 MB only what was looked at was read").toBeLessThan(40 * MB);
    await watch.harmless(TITLE);
    expect(failures()).toEqual([]);
  });
});
