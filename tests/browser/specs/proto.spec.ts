// Bodies by `.proto` files: added by a person, kept by the browser, used for protobuf and gRPC.
import type { Locator, Page } from "@playwright/test";
import { expect, expectAccessible, picture } from "../kit/fixtures";
import { testWithService, type Inspector } from "../kit/inspector";

const MONEY = `syntax = "proto3";
package shop.v1;
message Money {
  sint64 units = 1;
  string currency = 2;
}
`;
const ORDER = `syntax = "proto3";
package shop.v1;

import "shop/v1/money.proto";

enum Status {
  OPEN = 0;
  SHIPPED = 2;
}
message Line {
  string sku = 1;
  Money price = 2;
}
message Order {
  int32 id = 1;
  Status status = 2;
  repeated Line lines = 3;
  map<string, int32> stock = 4;
  repeated uint32 scores = 5;
  bytes signature = 6;
}
message GetOrder {
  int32 id = 1;
}
service Orders {
  rpc Get(GetOrder) returns (Order);
  rpc Watch(stream GetOrder) returns (stream Order);
}
`;

const of = (field: number, bytes: Buffer | string) => {
  const content = Buffer.from(bytes);
  return Buffer.concat([Buffer.from([(field << 3) | 2, content.length]), content]);
};
const number = (field: number, value: number) => Buffer.from([field << 3, value]);
const join = (...parts: Buffer[]) => Buffer.concat(parts);

const line = (sku: string, units: number) => of(3, join(of(1, sku), of(2, join(number(1, units), of(2, "EUR")))));
const BYTES = join(
  number(1, 42),
  number(2, 2),
  // 15 is -8 as `sint64`.
  line("TEA-250", 15),
  line("CUP-01", 24),
  of(4, join(of(1, "TEA-250"), number(2, 7))),
  of(5, Buffer.from([1, 2, 3])),
  of(6, Buffer.from([0xca, 0xfe])),
  number(9, 1),
);
const frame = (payload: Buffer) => join(Buffer.from([0, 0, 0, 0, payload.length]), payload);

const test = testWithService();
test.use({
  viewport: { width: 1280, height: 800 },
  colorScheme: "light",
  // Colours change at once, and can be judged at once.
  contextOptions: { reducedMotion: "reduce" },
});
// Judging a page takes long on a machine with much else to do.
test.describe.configure({ timeout: 90_000 });

const protoFile = (name: string, text: string) => ({ name, mimeType: "", buffer: Buffer.from(text) });

/** A person chooses files in the dialog of the system. */
async function choose(page: Page, button: Locator, ...files: [name: string, text: string][]): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await button.click();
  await (await chooser).setFiles(files.map(([name, text]) => protoFile(name, text)));
}

async function drop(page: Page, onto: Locator, ...files: [name: string, text: string][]): Promise<void> {
  const transfer = await page.evaluateHandle((given) => {
    const data = new DataTransfer();
    for (const [name, text] of given) data.items.add(new File([text], name));
    return data;
  }, files);
  await onto.dispatchEvent("dragover", { dataTransfer: transfer });
  await onto.dispatchEvent("drop", { dataTransfer: transfer });
}

async function chooseType(inspector: Inspector, name: string): Promise<void> {
  await inspector.panel.getByRole("combobox", { name: "Message type of the response body" }).click();
  await inspector.page.getByRole("option", { name, exact: true }).click();
}

const row = ({ panel }: Inspector, name: string) => panel.getByRole("treeitem", { name });

async function looksRight(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
    await picture(page, `proto-${name}-${colorScheme}`);
    await page.setViewportSize({ width: 1920, height: 1080 });
    await picture(page, `proto-${name}-wide-${colorScheme}`);
    await page.setViewportSize({ width: 1280, height: 800 });
  }
}

test("names, types and enum values come from added files, also after a reload", async ({ page, inspector }) => {
  await inspector.answered("/orders/1", "application/x-protobuf", BYTES);
  await expect(row(inspector, "1: 42")).toBeVisible();
  await picture(page, "proto-none");
  const add = inspector.panel.getByRole("button", { name: "Add .proto files…" });
  await choose(page, add, ["order.proto", ORDER], ["money.proto", MONEY]);
  await chooseType(inspector, "shop.v1.Order");
  for (const name of [
    "id: 42",
    "status: SHIPPED 2",
    "lines[0]: { 2 }",
    'sku: "TEA-250"',
    'stock["TEA-250"]: 7',
    "scores: [ 3 ]",
    "signature: ca fe 2 bytes",
    "9: 1",
  ])
    await expect(row(inspector, name)).toBeVisible();
  await row(inspector, "lines[0]: { 2 }").click();
  await page.getByRole("button", { name: "Expand all" }).click();
  await expect(row(inspector, "units: -8")).toBeVisible();
  await looksRight(page, "order");
  await page.reload();
  await inspector.select("/orders/1");
  await expect(row(inspector, "status: SHIPPED")).toBeVisible();
  // A type is chosen for one path.
  await inspector.answered("/orders/2", "application/x-protobuf", BYTES);
  await expect(row(inspector, "1: 42")).toBeVisible();
  await inspector.answered("/orders/3", 'application/x-protobuf; messageType="shop.v1.Order"', BYTES);
  await expect(row(inspector, "status: SHIPPED")).toBeVisible();
});

test("messages of gRPC have the types of their method", async ({ page, inspector }) => {
  inspector.service.says("/shop.v1.Orders/Watch", {
    headers: { "Content-Type": "application/grpc+proto" },
    body: join(frame(BYTES), frame(number(1, 43))),
  });
  await inspector.visit(
    "/shop.v1.Orders/Watch",
    { "Content-Type": "application/grpc+proto" },
    { method: "POST", body: frame(number(1, 42)) },
  );
  await inspector.select("/shop.v1.Orders/Watch");
  await drop(page, row(inspector, "Message 1"), ["order.proto", ORDER], ["money.proto", MONEY]);
  await expect(row(inspector, "status: SHIPPED")).toBeVisible();
  await expect(row(inspector, "id: 43")).toBeVisible();
  await expect(inspector.panel.getByText("response of shop.v1.Orders/Watch")).toBeVisible();
  await looksRight(page, "grpc");
  // The files were read in a worker whose policy allows no code made of text. The test's own code is exempt, its timers are not.
  const runs = () =>
    new Promise<boolean>((done) => {
      setTimeout(() => {
        try {
          done(Boolean(new Function("return true")()));
        } catch {
          done(false);
        }
      });
    });
  expect(page.workers()).not.toEqual([]);
  for (const worker of page.workers()) expect(await worker.evaluate(runs)).toBe(false);
  await page.getByRole("tab", { name: "Request" }).click();
  await expect(row(inspector, "id: 42")).toBeVisible();
  await expect(inspector.panel.getByText("request of shop.v1.Orders/Watch")).toBeVisible();
  await page.getByRole("tab", { name: "Messages" }).click();
  await expect(inspector.panel.getByRole("treeitem", { name: "id: 42" })).toHaveCount(2);
});

test("one of 9,000 message types is found by a part of its name", async ({ page, inspector }) => {
  await inspector.answered("/orders/1", "application/x-protobuf", BYTES);
  const names = Array.from({ length: 9000 }, (_, index) => `Kind${String(index).padStart(4, "0")}`);
  const many = `syntax = "proto3";\npackage big.v1;\n${names.map((name) => `message ${name} { int32 id = 1; }`).join("\n")}\n`;
  const add = inspector.panel.getByRole("button", { name: "Add .proto files…" });
  await choose(page, add, ["many.proto", many]);
  const select = inspector.panel.getByRole("combobox", { name: "Message type of the response body" });
  await select.click();
  const search = page.getByRole("combobox", { name: "Search: Message type of the response body" });
  await expect(search).toBeFocused();
  await expect(page.getByRole("option")).toHaveCount(100);
  await expect(page.getByText("The first 100 of 9,001 options: search to see others.")).toBeVisible();
  await expect(page.getByRole("option", { name: "No message type: field numbers", selected: true })).toBeVisible();
  await search.fill("no such type");
  await expect(page.getByText("Nothing matches.")).toBeVisible();
  await search.fill("V1 kind873");
  await expect(page.getByRole("option")).toHaveCount(10);
  await looksRight(page, "search");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(select).toHaveText("big.v1.Kind8731");
  await expect(select).toBeFocused();
  await expect(row(inspector, "id: 42")).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("option").first(), "the chosen one comes first").toHaveText("big.v1.Kind8731");
  await page.keyboard.press("Escape");
  await expect(search).toHaveCount(0);
});

test("two messages are compared by the names of their fields", async ({ page, inspector }) => {
  for (const [version, body] of [
    ["1", BYTES],
    ["2", join(number(1, 43), BYTES.subarray(2))],
  ] as const) {
    inspector.service.says("/orders", { headers: { "Content-Type": "application/x-protobuf" }, body });
    await inspector.visit(`/orders?v=${version}`);
    await expect(inspector.row(`/orders?v=${version}`)).toBeVisible();
  }
  await inspector.select("/orders?v=1");
  const add = inspector.panel.getByRole("button", { name: "Add .proto files…" });
  await choose(page, add, ["order.proto", ORDER], ["money.proto", MONEY]);
  await chooseType(inspector, "shop.v1.Order");
  await inspector.row("/orders?v=2").click({ modifiers: ["Control"] });
  const differences = page.getByRole("region", { name: "Differences in the body", exact: true });
  await expect(differences.getByText("2 lines differ")).toBeVisible();
  await expect(differences.getByText("id: 42")).toBeVisible();
  await expect(differences.getByText("id: 43")).toBeVisible();
  await expect(differences.getByText("status: SHIPPED")).toBeVisible();
  await looksRight(page, "compared");
});

test("what is wrong in a file is said with its line, and the rest is used", async ({ page, inspector }) => {
  await inspector.answered("/orders/1", "application/x-protobuf", BYTES);
  const add = inspector.panel.getByRole("button", { name: "Add .proto files…" });
  await choose(page, add, ["order.proto", ORDER], ["broken.proto", 'syntax = "proto3";\nmessage A {\n  int32 = 1;\n}']);
  await expect(inspector.panel.getByText("broken.proto, line 3: “=” is not a valid name.")).toBeVisible();
  await chooseType(inspector, "shop.v1.Order");
  await expect(row(inspector, "status: SHIPPED")).toBeVisible();
  await inspector.panel.getByRole("button", { name: "Show 1 further problem" }).click();
  const dialog = page.getByRole("dialog", { name: ".proto files" });
  const missing = "Line 4: it imports “shop/v1/money.proto”, which is not here. Add that file";
  await expect(dialog.getByText(missing)).toBeVisible();
  await looksRight(page, "problems");
  await choose(page, dialog.getByRole("button", { name: "Add files…" }), ["money.proto", MONEY]);
  await expect(dialog.getByText(missing)).toHaveCount(0);
  await dialog.getByRole("button", { name: "Remove broken.proto" }).click();
  await expect(dialog.getByText("Line 3")).toHaveCount(0);
  await dialog.getByRole("button", { name: "Done" }).click();
  await chooseType(inspector, "shop.v1.Line");
  await expect(inspector.panel.getByText("The bytes do not fit shop.v1.Line")).toBeVisible();
  await expect(row(inspector, "1: 42")).toBeVisible();
  await picture(page, "proto-misfit");
});

test("files are refused above the limits, and removed one by one in all windows", async ({ page, context, inspector }) => {
  await inspector.answered("/orders/1", "application/x-protobuf", BYTES);
  const add = inspector.panel.getByRole("button", { name: "Add .proto files…" });
  await choose(page, add, ["large.proto", `// ${"x".repeat(1024 * 1024)}`]);
  const refusal = inspector.panel.getByRole("alert", { name: "The files were not added" });
  await expect(refusal).toContainText("at most 1 MB are kept");
  await looksRight(page, "refused");
  await choose(page, add, ["picture.png", "no"]);
  await expect(refusal).toContainText("picture.png is not a .proto file");
  await choose(page, add, ...Array.from({ length: 65 }, (_, at): [string, string] => [`${at}.proto`, ""]));
  await expect(refusal).toContainText("at most 64 are kept");
  await choose(page, add, ["order.proto", ORDER], ["money.proto", MONEY]);
  await expect(refusal).toHaveCount(0);
  await chooseType(inspector, "shop.v1.Order");
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.getByText("Online")).toBeVisible();
  await other.getByRole("row", { name: "/orders/1" }).first().click();
  await other.getByRole("tab", { name: "Response", exact: true }).click();
  await expect(other.getByRole("treeitem", { name: "status: SHIPPED" })).toBeVisible();
  await inspector.panel.getByRole("button", { name: "2 .proto files" }).click();
  await page.getByRole("button", { name: "Remove order.proto" }).click();
  await page.getByRole("button", { name: "Remove money.proto" }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(row(inspector, "1: 42")).toBeVisible();
  await expect(other.getByRole("treeitem", { name: "1: 42" })).toBeVisible();
  await expect(add).toBeVisible();
});
