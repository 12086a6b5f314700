import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fetchSnippet } from "./fetch";
import { pythonSnippet } from "./python";
import type { Snippet } from "./source";

const encoder = new TextEncoder();
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
/** Anything but line terminators, which no header has; surrounding white space is not part of a value. */
const value = fc.string({ unit: "binary", maxLength: 40 }).map((text) =>
  text
    .toWellFormed()
    .replace(/[\0\r\n]/g, "")
    .replace(/^\s+|\s+$/g, ""),
);
const header = fc.record({ name: fc.stringMatching(/^X-[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}$/), value });
const HOSTILE = [
  "'",
  '"',
  "\\",
  "`",
  "${x}",
  "$(id)",
  "\u2028",
  "</script>",
  "'''",
  '"""',
  "{}",
  "%s",
  "é",
  "😀",
];
const body = fc.oneof(
  fc.uint8Array({ maxLength: 80 }),
  fc.string({ unit: "binary", maxLength: 60 }).map((text) => encoder.encode(text)),
  fc.constantFrom(...HOSTILE).map((text) => encoder.encode(text)),
);
const path = fc
  .array(fc.constantFrom("a", "%20", "'", "?x=1", "&", "$", "(", ")", "é", "/", "*"), { maxLength: 8 })
  .map((parts) => `/${parts.join("")}`);
const request: fc.Arbitrary<Snippet> = fc.record({
  method: fc.constantFrom("POST", "PUT", "PATCH", "QUERY"),
  url: path.map((target) => `https://shop.localhost:4443${target}`),
  headers: fc.uniqueArray(header, { maxLength: 4, selector: ({ name }) => name.toLowerCase() }),
  body,
});

describe("a request as fetch", () => {
  it("sends the same bytes, whatever they are", async () => {
    await fc.assert(
      fc.asyncProperty(request, async (source) => {
        const sent: { url: string; init: RequestInit }[] = [];
        const send = (url: string, init: RequestInit) => void sent.push({ url, init });
        // oxlint-disable-next-line no-new-func -- the snippet is a program; here it runs
        const run = new Function("fetch", `return (async () => {\n${fetchSnippet(source, true)}\n})();`);
        await run(send);
        const [{ url, init } = { url: "", init: {} }] = sent;
        const made = new Request(url, init);
        expect(made.method).toBe(source.method);
        expect(made.url).toBe(new URL(source.url).href);
        expect(hex(new Uint8Array(await made.arrayBuffer()))).toBe(hex(source.body));
        for (const { name, value: wanted } of source.headers)
          expect(hex(Buffer.from(made.headers.get(name) ?? "", "latin1")), name).toBe(
            hex(encoder.encode(wanted)),
          );
      }),
      { numRuns: 300 },
    );
  });

  it("says so where a body cannot be sent", () => {
    const source = { method: "GET", url: "https://a.test/", headers: [], body: encoder.encode("x") };
    expect(fetchSnippet(source, true)).toMatch(/^\/\/ fetch sends no body with GET/);
  });
});

/** Runs programs with a connection that records everything it receives. */
const RECORDER = `
import sys, json, types
out = []
class Connection:
    def __init__(self, host, port=None): self.said = {"host": host, "port": port, "headers": [], "body": ""}
    def putrequest(self, method, target, skip_host=False, skip_accept_encoding=False):
        target.encode("ascii")
        self.said["method"], self.said["target"] = method, target
    def putheader(self, name, value):
        value = value if isinstance(value, bytes) else value.encode("ascii")
        self.said["headers"].append([name, value.hex()])
    def endheaders(self, body=b""): self.said["body"] = body.hex()
    def getresponse(self):
        out.append(self.said)
        return types.SimpleNamespace(status=200, reason="OK", read=lambda: b"")
client = types.ModuleType("http.client")
client.HTTPSConnection = client.HTTPConnection = Connection
package = types.ModuleType("http")
package.client = client
sys.modules["http"], sys.modules["http.client"] = package, client
for program in json.load(sys.stdin):
    exec(compile(program, "snippet", "exec"), {"print": lambda *words: None})
print(json.dumps(out))
`;

interface Said {
  host: string;
  port: number;
  method: string;
  target: string;
  headers: [string, string][];
  body: string;
}

describe("a request as Python", () => {
  it("sends the same bytes, whatever they are", () => {
    const sources = fc.sample(request, { numRuns: 300, seed: 7 });
    const programs = sources.map((source) => pythonSnippet(source, true));
    const output = execFileSync("python3", ["-c", RECORDER], { input: JSON.stringify(programs) });
    const sent = JSON.parse(output.toString()) as Said[];
    expect(sent.length).toBe(sources.length);
    sources.forEach((source, index) => {
      const said = sent[index];
      expect([said?.method, said?.host, said?.port]).toEqual([source.method, "shop.localhost", 4443]);
      const target = source.url.slice("https://shop.localhost:4443".length);
      expect(decodeURI(said?.target ?? "")).toBe(decodeURI(target));
      expect(said?.body).toBe(hex(source.body));
      const headers = source.headers.map(({ name, value: wanted }) => [name, hex(encoder.encode(wanted))]);
      const length = hex(encoder.encode(String(source.body.length)));
      expect(said?.headers).toEqual(
        source.body.length > 0 ? [...headers, ["Content-Length", length]] : headers,
      );
    });
  });
});

it("hides secrets unless they are asked for", () => {
  const headers = [{ name: "Authorization", value: "Bearer t0p" }];
  const source = { method: "GET", url: "http://a.test", headers, body: new Uint8Array() };
  for (const snippet of [fetchSnippet, pythonSnippet]) {
    expect(snippet(source, false)).not.toContain("t0p");
    expect(snippet(source, true)).toContain("Bearer t0p");
  }
});
