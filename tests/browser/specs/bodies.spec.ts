// Bodies in every way they can be looked at, of traffic that went through the real server and agent.
import type { Page } from "@playwright/test";
import { once } from "node:events";
import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import { copied } from "../kit/clipboard";
import { expect, expectAccessible, picture } from "../kit/fixtures";
import { testWithService } from "../kit/inspector";
import { frame, message } from "../kit/service";

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

const test = testWithService();
test.use({
  viewport: { width: 1280, height: 800 },
  colorScheme: "light",
  // Colours change at once, and can be judged at once.
  contextOptions: { reducedMotion: "reduce" },
});

/** Looks right to a person who cannot see, in both colour schemes, and leaves pictures to look at. */
async function looksRight(page: Page, name: string, judge = expectAccessible): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await judge(page);
    await picture(page, `body-${name}-${colorScheme}`);
  }
}

test.describe("the body of a captured message", () => {
  // Judging a page takes long on a machine with much else to do.
  test.describe.configure({ timeout: 90_000 });

  test("of JSON is a tree to unfold, to search and to copy from, with keys alone", async ({
    page,
    inspector,
  }) => {
    await inspector.answered("/order", "application/json", JSON.stringify(ORDER));
    const tree = inspector.panel.getByRole("tree");
    await expect(tree.getByRole("treeitem", { name: '"id": 1041' })).toBeVisible();
    await expect(tree.getByRole("treeitem", { name: "sku" })).toHaveCount(0);
    await tree.focus();
    for (let row = 0; row < 7; row += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await expect(tree.getByRole("treeitem", { name: '"sku": "TEA-250"' })).toBeVisible();
    await page.keyboard.press("ArrowDown");
    await expect(inspector.panel.getByText("$.lines[0].sku")).toBeVisible();
    await inspector.way("Copy path").click();
    await expect.poll(() => copied(page)).toBe("$.lines[0].sku");
    await inspector.way("Copy value").click();
    await expect.poll(() => copied(page)).toBe('"TEA-250"');
    await page.keyboard.press("Control+f");
    await expect(inspector.panel.getByRole("searchbox", { name: /^Find in/ })).toBeFocused();
    await page.keyboard.type("cup-01");
    await expect(inspector.panel.getByText("1 of 1")).toBeVisible();
    await expect(tree.getByRole("treeitem", { name: '"sku": "CUP-01"', selected: true })).toBeVisible();
    await looksRight(page, "json");
    await page.keyboard.press("Escape");
    await expect(inspector.panel.getByRole("searchbox", { name: /^Find in/ })).toHaveCount(0);
    await expect(tree).toBeFocused();
    await expect(page.getByRole("region", { name: "Request details" })).toBeVisible();
  });

  test("of JSON can be folded, and laid out as text", async ({ page, inspector }) => {
    await inspector.answered("/folded", "application/json", JSON.stringify(ORDER));
    const tree = inspector.panel.getByRole("tree");
    await inspector.way("Collapse all").click();
    await expect(tree.getByRole("treeitem")).toHaveCount(4);
    await inspector.way("Pretty").click();
    await expect(inspector.panel.getByText('"e-mail": "zoe@example.test"')).toBeVisible();
    await looksRight(page, "pretty");
  });

  test("is one key away as bytes, and so is the way back", async ({ page, inspector }) => {
    await inspector.answered("/bytes", "application/json", JSON.stringify(ORDER));
    await inspector.way("Pretty").click();
    await page.getByRole("heading", { name: "/bytes" }).click();
    await page.keyboard.press("x");
    await expect(inspector.panel.getByText("7b 22 69 64 22 3a 31 30  34 31")).toBeVisible();
    await looksRight(page, "hex");
    await page.keyboard.press("x");
    await expect(inspector.panel.getByText('"e-mail": "zoe@example.test"')).toBeVisible();
  });

  test("of JSON with a mistake says where, marks it, and shows what came before", async ({
    page,
    inspector,
  }) => {
    await inspector.answered("/mistake", "application/json", '{\n  "error": "no such order",\n  trace: 1\n}');
    await expect(inspector.panel.getByText("Not valid JSON: line 3, column 3")).toBeVisible();
    await expect(inspector.panel.getByRole("treeitem", { name: '"error"' })).toBeVisible();
    await inspector.way("Text").click();
    await expect(inspector.panel.getByText("The position is marked")).toBeVisible();
    await expect(inspector.panel.getByText("trace: 1")).toBeVisible();
    await looksRight(page, "mistake");
  });

  test("of several lines of JSON is a tree", async ({ inspector }) => {
    await inspector.answered("/lines", "application/x-ndjson", '{"level":"info"}\n{"level":"warn"}\n');
    await expect(inspector.panel.getByRole("treeitem", { name: '"level": "warn"' })).toBeVisible();
  });

  test("of XML is a tree", async ({ page, inspector }) => {
    await inspector.answered(
      "/feed",
      "application/xml",
      '<?xml version="1.0"?><feed><entry id="1"><title>Tea</title></entry></feed>',
    );
    await expect(inspector.panel.getByRole("treeitem", { name: "<title>Tea</title>" })).toBeVisible();
    await looksRight(page, "xml");
  });

  test.describe("in a frame where nothing may run", () => {
    // Not even what the test runner would run in every frame.
    test.use({ expected: /^console: Blocked script execution in 'about:(?:blank|srcdoc)'/ });

    test("of a page is its text or itself without what could act", async ({ page, inspector }) => {
      await inspector.answered(
        "/page",
        "text/html; charset=utf-8",
        "<!doctype html><style>h1{color:rgb(163,33,26)}</style><h1>Server error</h1><p>Order <b>1041</b> was not found.</p><script>document.title='ran'</script>",
      );
      await expect(inspector.panel.getByText("<h1>Server error</h1>")).toBeVisible();
      await inspector.way("Page").click();
      const shown = page.frameLocator("iframe");
      await expect(shown.getByRole("heading", { name: "Server error" })).toBeVisible();
      await expect(shown.getByRole("heading")).toHaveCSS("color", "rgb(163, 33, 26)");
      await expect(page).toHaveTitle("Postern inspector");
      // Nothing runs in the frame, and what judges pages would have to.
      await looksRight(page, "page", async () => {});
    });
  });

  test("of a form is its fields", async ({ page, inspector }) => {
    inspector.service.says("/login", { status: "303 See Other", headers: { Location: "/" } });
    await inspector.visit(
      "/login",
      { "Content-Type": "application/x-www-form-urlencoded" },
      { method: "POST", body: "user=zoe%40example.test&remember=yes&note=a+b" },
    );
    await inspector.select("/login", "Request");
    const fields = inspector.panel.getByRole("table");
    await expect(fields.getByRole("row", { name: "user zoe@example.test" })).toBeVisible();
    await looksRight(page, "form");
  });

  test("of several parts is the parts in their own ways", async ({ page, inspector }) => {
    inspector.service.says("/upload", { status: "204 No Content" });
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
    await inspector.visit(
      "/upload",
      { "Content-Type": "multipart/form-data; boundary=b1" },
      { method: "POST", body: parts },
    );
    await inspector.select("/upload", "Request");
    await expect(inspector.panel.getByRole("treeitem", { name: '"id": 1041' })).toBeVisible();
    await inspector.panel.getByRole("button", { name: "photo photo.x image/png" }).click();
    await expect(inspector.panel.getByRole("img", { name: "part photo" })).toBeVisible();
    await expect(inspector.panel.getByText("image/png, 1 × 1")).toBeVisible();
    await looksRight(page, "parts");
  });

  for (const [coding, pack] of [
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateRawSync],
  ] as const)
    test(`that came as ${coding} is shown as it was meant`, async ({ inspector }) => {
      await inspector.answered(`/packed-${coding}`, "application/json", pack(JSON.stringify(ORDER)), {
        "Content-Encoding": coding,
      });
      await expect(inspector.panel.getByText(`Decoded from ${coding}.`)).toBeVisible();
      await expect(inspector.panel.getByRole("treeitem", { name: '"id": 1041' })).toBeVisible();
    });

  test("of protocol buffers is read without a schema", async ({ page, inspector }) => {
    await inspector.answered("/protobuf", "application/x-protobuf", PROTOBUF);
    await expect(inspector.panel.getByRole("treeitem", { name: '2: "testing"' })).toBeVisible();
    await looksRight(page, "protobuf");
  });

  test("of gRPC is its messages, with status and trailers", async ({ page, inspector }) => {
    const body = Buffer.concat([grpcFrame(PROTOBUF), grpcFrame(gzipSync(PROTOBUF), 1)]);
    inspector.service.saysBytes(
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
    await inspector.visit("/shop.Orders/Get");
    await inspector.select("/shop.Orders/Get");
    await expect(inspector.panel.getByText("gRPC status 5 NOT_FOUND: no such order")).toBeVisible();
    await expect(inspector.panel.getByRole("treeitem", { name: "Message 2" })).toBeVisible();
    await expect(inspector.panel.getByRole("treeitem", { name: '2: "testing"' })).toHaveCount(2);
    await looksRight(page, "grpc");
    await page.getByRole("tab", { name: "Messages" }).click();
    const answers = inspector.panel.getByRole("region", { name: "Response body" });
    await expect(answers.getByRole("treeitem", { name: "Message 2" })).toBeVisible();
  });

  test("can be looked at in another way than its kind says", async ({ page, inspector }) => {
    await inspector.answered("/mislabelled", "text/plain", PROTOBUF);
    await page.getByRole("button", { name: "More views of the response body" }).click();
    await page.getByRole("menuitem", { name: "Protobuf" }).click();
    await expect(inspector.panel.getByRole("treeitem", { name: '2: "testing"' })).toBeVisible();
  });

  test("of events is a list that grows as they come, and can be filtered", async ({ page, inspector }) => {
    let say: (text: string) => void = () => {};
    inspector.service.talks("/events", (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
      say = (text) => socket.write(text);
      for (let number = 1; number <= 40; number += 1)
        say(`id: ${number}\nevent: ${number % 10 === 0 ? "error" : "tick"}\ndata: {"n":${number}}\n\n`);
    });
    const listener = inspector.begin("/events");
    await expect(inspector.row("/events")).toBeVisible();
    await inspector.select("/events");
    await inspector.way("Show messages").click();
    await expect(page.getByRole("tab", { name: "Messages", selected: true })).toBeVisible();
    await expect(inspector.panel.getByText("40 messages")).toBeVisible();
    await expect(inspector.panel.getByText("· open")).toBeVisible();
    say('event: tick\ndata: {"n":"the last"}\n\n');
    await expect(inspector.panel.getByText("the last")).toBeVisible();
    await inspector.panel.getByRole("searchbox", { name: "Filter Events" }).fill("error");
    await expect(inspector.panel.getByText("4 of 41 messages")).toBeVisible();
    await inspector.panel.getByRole("listitem").first().click();
    await expect(inspector.panel.getByRole("treeitem", { name: '"n": 10' })).toBeVisible();
    await looksRight(page, "events");
    listener.destroy();
  });

  test("of a WebSocket is its messages from both sides, compressed ones too", async ({ page, inspector }) => {
    const packed = deflateRawSync('{"packed":"hello, hello, hello"}', { finishFlush: 2 }).subarray(0, -4);
    inspector.service.websocket(
      "/socket",
      (socket) => {
        socket.write(frame(1, '{"hello":"visitor"}', false));
        socket.write(frame(2, PROTOBUF, false));
        socket.write(frame(1, packed, false, 0xc0));
        socket.write(frame(9, "are you there", false));
      },
      "permessage-deflate",
    );
    const socket = inspector.upgrade("/socket", { "Sec-WebSocket-Extensions": "permessage-deflate" });
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString("latin1")).toContain("101");
    socket.write(frame(1, "from the visitor", true));
    await expect(inspector.row("/socket")).toBeVisible();
    await inspector.select("/socket", "Messages");
    await expect(
      inspector.panel
        .getByRole("listitem", { name: /visitor.*from the visitor/ })
        .or(inspector.panel.getByText("from the visitor", { exact: true }))
        .last(),
    ).toBeVisible();
    await expect(inspector.panel.getByText("hello, hello, hello")).toBeVisible();
    await inspector.panel.getByRole("searchbox", { name: "Filter Messages" }).fill("binary");
    await inspector.panel.getByRole("listitem").first().click();
    await expect(inspector.panel.getByText("08 96 01 12 07").last()).toBeVisible();
    await looksRight(page, "socket");
    await inspector.panel.getByRole("searchbox", { name: "Filter Messages" }).fill("");
    socket.end(frame(8, Buffer.from([3, 232]), true));
    await expect(inspector.panel.getByText("1000 normal")).toBeVisible();
  });
});
