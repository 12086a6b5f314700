// Bodies in every way they can be looked at, of traffic that went through the real server and agent.
import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectAccessible, launch, open, picture } from "../kit/browser";
import { frame, message, request, sends, Service, visitor } from "../kit/service";
import { eventually, externalAgent, World } from "../kit/world";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const ORDER = {
  id: 1041,
  customer: { name: "Zoë Almeida", "e-mail": "zoe@example.test" },
  lines: [
    { sku: "TEA-250", price: 7.5 },
    { sku: "CUP-01", price: 12 },
  ],
};
/** `1: 150`, `2: "testing"`, `3: { 1: 150 }` */
const PROTOBUF = Buffer.from("089601120774657374696e671a03089601", "hex");
const grpcFrame = (payload: Buffer, flags = 0) =>
  Buffer.concat([Buffer.from([flags, 0, 0, payload.length >> 8, payload.length & 255]), payload]);

describe.skipIf(externalAgent !== null)("the body of a captured message", { timeout: 90_000 }, () => {
  let browser: Browser;
  let world: World;
  let service: Service;
  let url: string;
  let page: Page;
  let wrong: string[];

  beforeAll(async () => {
    browser = await launch();
    service = await Service.start();
    world = await World.start();
    ({ public_url: url } = await world.api<{ public_url: string }>("POST", "/api/tunnels", {
      name: "bodies",
      proto: "http",
      addr: String(service.port),
    }));
    ({ page, wrong } = await open(browser, `${world.url}/`, {
      viewport: { width: 1280, height: 800 },
      colorScheme: "light",
      // Colours change at once, and can be judged at once.
      reducedMotion: "reduce",
    }));
    await page.getByText("Online").waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
    await service?.stop();
  });
  beforeEach(() => {
    wrong.length = 0;
  });

  // One that goes stays for a moment beside the one that comes.
  const panel = () => page.locator("[role=tabpanel]:not([inert])");
  const way = (name: string) => page.getByRole("button", { name, exact: true });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());

  async function answered(
    path: string,
    type: string,
    body: string | Buffer,
    headers: Record<string, string> = {},
  ) {
    service.says(path, { headers: { "Content-Type": type, ...headers }, body });
    await sends(world, url, request(url, path));
    await select(path);
  }
  async function select(path: string, tab = "Response") {
    await page.getByRole("row", { name: path }).first().click();
    await page.getByRole("tab", { name: tab, exact: true }).click();
  }
  /** Looks right to a person who cannot see, in both colour schemes, and leaves pictures to look at. */
  async function looksRight(name: string, judge = expectAccessible) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await judge(page);
      await picture(page, `body-${name}-${colorScheme}`);
    }
    await page.emulateMedia({ colorScheme: "light" });
    expect(wrong).toEqual([]);
  }

  it("of JSON is a tree to fold, to search and to copy from, with keys alone", async () => {
    await answered("/order", "application/json", JSON.stringify(ORDER));
    const tree = panel().getByRole("tree");
    await tree.getByRole("treeitem", { name: '"id": 1041' }).waitFor();
    expect(await tree.getByRole("treeitem", { name: "sku" }).count()).toBe(0);
    await tree.focus();
    for (let row = 0; row < 7; row += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await tree.getByRole("treeitem", { name: '"sku": "TEA-250"' }).waitFor();
    await page.keyboard.press("ArrowDown");
    await panel().getByText("$.lines[0].sku").waitFor();
    await way("Copy path").click();
    await expect.poll(copied).toBe("$.lines[0].sku");
    await way("Copy value").click();
    await expect.poll(copied).toBe('"TEA-250"');
    await panel()
      .getByRole("searchbox", { name: /^Find in/ })
      .fill("cup-01");
    await panel().getByText("1 of 1").waitFor();
    await tree.getByRole("treeitem", { name: '"sku": "CUP-01"', selected: true }).waitFor();
    await looksRight("json");
    await way("Collapse all").click();
    await expect.poll(() => tree.getByRole("treeitem").count()).toBe(4);
    await way("Pretty").click();
    await panel().getByText('"e-mail": "zoe@example.test"').waitFor();
    await looksRight("pretty");
    // The bytes are one key away, and so is the way back.
    await page.getByRole("heading", { name: "/order" }).click();
    await page.keyboard.press("x");
    await panel().getByText("7b 22 69 64 22 3a 31 30  34 31").waitFor();
    await looksRight("hex");
    await page.keyboard.press("x");
    await panel().getByText('"e-mail": "zoe@example.test"').waitFor();
    await way("Tree").click();
  });

  it("of JSON with a mistake says where, marks it, and shows what came before", async () => {
    await answered("/mistake", "application/json", '{\n  "error": "no such order",\n  trace: 1\n}');
    await panel().getByText("Not valid JSON: line 3, column 3").waitFor();
    await panel().getByRole("treeitem", { name: '"error"' }).waitFor();
    await way("Text").click();
    await panel().getByText("The position is marked").waitFor();
    await panel().getByText("trace: 1").waitFor();
    await looksRight("mistake");
    await way("Tree").click();
    await answered("/lines", "application/x-ndjson", '{"level":"info"}\n{"level":"warn"}\n');
    await panel().getByRole("treeitem", { name: '"level": "warn"' }).waitFor();
  });

  it("of XML is a tree, of a page its text or itself without what could act", async () => {
    await answered(
      "/feed",
      "application/xml",
      '<?xml version="1.0"?><feed><entry id="1"><title>Tea</title></entry></feed>',
    );
    await panel().getByRole("treeitem", { name: "<title>Tea</title>" }).waitFor();
    await looksRight("xml");
    await answered(
      "/page",
      "text/html; charset=utf-8",
      "<!doctype html><style>h1{color:rgb(163,33,26)}</style><h1>Server error</h1><p>Order <b>1041</b> was not found.</p><script>document.title='ran'</script>",
    );
    await panel().getByText("<h1>Server error</h1>").waitFor();
    await way("Page").click();
    const shown = page.frameLocator("iframe");
    await shown.getByRole("heading", { name: "Server error" }).waitFor();
    expect(await shown.getByRole("heading").evaluate((element) => getComputedStyle(element).color)).toBe(
      "rgb(163, 33, 26)",
    );
    expect(await page.title()).toBe("Postern inspector");
    // Nothing runs in the frame, and what judges pages would have to.
    await looksRight("page", async () => {});
    await way("Text").click();
  });

  it("of a form is its fields, of several parts the parts in their own ways", async () => {
    service.says("/login", { status: "303 See Other", headers: { Location: "/" } });
    const form = "user=zoe%40example.test&remember=yes&note=a+b";
    await sends(
      world,
      url,
      request(
        url,
        "/login",
        { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": String(form.length) },
        "POST",
      ) + form,
    );
    await select("/login", "Request");
    const fields = panel().getByRole("table");
    await fields.getByRole("row", { name: "user zoe@example.test" }).waitFor();
    await looksRight("form");

    service.says("/upload", { status: "204 No Content" });
    const part = (name: string, type: string, content: string | Buffer) =>
      Buffer.concat([
        Buffer.from(
          `--b1\r\nContent-Disposition: form-data; name="${name}"; filename="${name}.x"\r\nContent-Type: ${type}\r\n\r\n`,
        ),
        Buffer.from(content),
        Buffer.from("\r\n"),
      ]);
    const parts = Buffer.concat([
      part("order", "application/json", JSON.stringify(ORDER)),
      part("photo", "image/png", PIXEL),
      Buffer.from("--b1--\r\n"),
    ]);
    const head = request(
      url,
      "/upload",
      { "Content-Type": "multipart/form-data; boundary=b1", "Content-Length": String(parts.length) },
      "POST",
    );
    await sends(world, url, Buffer.concat([Buffer.from(head), parts]));
    await select("/upload", "Request");
    await panel().getByRole("treeitem", { name: '"id": 1041' }).waitFor();
    await panel().getByRole("button", { name: "photo photo.x image/png" }).click();
    await panel().getByRole("img", { name: "part photo" }).waitFor();
    await panel().getByText("image/png, 1 × 1").waitFor();
    await looksRight("parts");
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateRawSync],
  ] as const)("that came as %s is shown as it was meant", async (coding, pack) => {
    await answered(`/packed-${coding}`, "application/json", pack(JSON.stringify(ORDER)), {
      "Content-Encoding": coding,
    });
    await panel().getByText(`Decoded from ${coding}.`).waitFor();
    await panel().getByRole("treeitem", { name: '"id": 1041' }).waitFor();
  });

  it("of protocol buffers and gRPC is read without a schema, with status and trailers", async () => {
    await answered("/protobuf", "application/x-protobuf", PROTOBUF);
    await panel().getByRole("treeitem", { name: '2: "testing"' }).waitFor();
    await looksRight("protobuf");
    const body = Buffer.concat([grpcFrame(PROTOBUF), grpcFrame(gzipSync(PROTOBUF), 1)]);
    service.saysBytes(
      "/shop.Orders/Get",
      Buffer.concat([
        message("HTTP/1.1 200 OK", {
          "Content-Type": "application/grpc+proto",
          "grpc-encoding": "gzip",
          "Transfer-Encoding": "chunked",
          Trailer: "grpc-status, grpc-message",
          Connection: "close",
        }),
        Buffer.from(`${body.length.toString(16)}\r\n`),
        body,
        Buffer.from("\r\n0\r\ngrpc-status: 5\r\ngrpc-message: no%20such%20order\r\n\r\n"),
      ]),
    );
    await sends(world, url, request(url, "/shop.Orders/Get"));
    await select("/shop.Orders/Get");
    await panel().getByText("gRPC status 5 NOT_FOUND: no such order").waitFor();
    await panel().getByRole("treeitem", { name: "Message 2" }).waitFor();
    expect(await panel().getByRole("treeitem", { name: '2: "testing"' }).count()).toBe(2);
    await looksRight("grpc");
  });

  it("can be looked at in another way than its kind says", async () => {
    await answered("/mislabelled", "text/plain", PROTOBUF);
    await page.getByRole("button", { name: "More views of the response body" }).click();
    await page.getByRole("menuitem", { name: "Protobuf" }).click();
    await panel().getByRole("treeitem", { name: '2: "testing"' }).waitFor();
    await way("Text").click();
  });

  it("of events is a list that grows as they come, and can be filtered", async () => {
    let say: (text: string) => void = () => {};
    service.talks("/events", (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
      say = (text) => socket.write(text);
      for (let number = 1; number <= 40; number += 1)
        say(`id: ${number}\nevent: ${number % 10 === 0 ? "error" : "tick"}\ndata: {"n":${number}}\n\n`);
    });
    const listener = visitor(world, url);
    listener.write(request(url, "/events"));
    await page.getByRole("row", { name: "/events" }).waitFor();
    await select("/events");
    await panel().getByText("40 messages").waitFor();
    await panel().getByText("· open").waitFor();
    say('event: tick\ndata: {"n":"the last"}\n\n');
    await panel().getByText("the last").waitFor();
    await panel().getByRole("searchbox", { name: "Filter Events" }).fill("error");
    await panel().getByText("4 of 41 messages").waitFor();
    await panel().getByRole("listitem").first().click();
    await panel().getByRole("treeitem", { name: '"n": 10' }).waitFor();
    await looksRight("events");
    listener.destroy();
  });

  it("of a WebSocket is its messages from both sides, compressed ones too", async () => {
    const packed = deflateRawSync('{"packed":"hello, hello, hello"}', { finishFlush: 2 }).subarray(0, -4);
    service.websocket(
      "/socket",
      (socket) => {
        socket.write(frame(1, '{"hello":"visitor"}', false));
        socket.write(frame(2, PROTOBUF, false));
        socket.write(frame(1, packed, false, 0xc0));
        socket.write(frame(9, "are you there", false));
      },
      "permessage-deflate",
    );
    const socket = visitor(world, url);
    socket.write(
      request(url, "/socket", {
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Extensions": "permessage-deflate",
      }),
    );
    await eventually("the upgrade", async () => {
      const text = await new Promise<string>((heard) =>
        socket.once("data", (data: Buffer) => heard(data.toString("latin1"))),
      );
      return text.includes("101") ? text : undefined;
    });
    socket.write(frame(1, "from the visitor", true));
    await page.getByRole("row", { name: "/socket" }).waitFor();
    await select("/socket");
    await panel()
      .getByRole("listitem", { name: /visitor.*from the visitor/ })
      .or(panel().getByText("from the visitor", { exact: true }))
      .last()
      .waitFor();
    await panel().getByText("hello, hello, hello").waitFor();
    await panel().getByRole("searchbox", { name: "Filter Messages" }).fill("binary");
    await panel().getByRole("listitem").first().click();
    await panel().getByText("08 96 01 12 07").last().waitFor();
    await looksRight("socket");
    await panel().getByRole("searchbox", { name: "Filter Messages" }).fill("");
    socket.end(frame(8, Buffer.from([3, 232]), true));
    await panel().getByText("1000 normal").waitFor();
  });
});
