import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fetchSnippet } from "./fetch";
import { goProgram } from "./go";
import { httpieCommand } from "./httpie";
import { powershellCommand } from "./powershell";
import { pythonSnippet } from "./python";
import { rustProgram } from "./rust";
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

/** The bytes of a literal in which everything but printable ASCII is escaped. */
function unescaped(literal: string): Buffer {
  expect(literal).toMatch(/^(?:[ !#-[\]-~]|\\["\\n]|\\x[0-9a-f]{2})*$/);
  const text = literal.replaceAll(/\\(?:x(..)|(.))/g, (_, hexadecimal?: string, plain?: string) =>
    hexadecimal === undefined
      ? plain === "n"
        ? "\n"
        : (plain ?? "")
      : String.fromCharCode(parseInt(hexadecimal, 16)),
  );
  return Buffer.from(text, "latin1");
}

/** What a program says in its quoted strings after each occurrence of a text. */
function strings(program: string, before: string): Buffer[] {
  const all = program.split(before).slice(1);
  return all.map((rest) => unescaped(/^((?:[^"\\]|\\.)*)"/s.exec(rest)?.[1] ?? "?\t"));
}

describe("a request as Go", () => {
  it("has the same bytes, whatever they are", () => {
    fc.assert(
      fc.property(request, (source) => {
        const program = goProgram(source, true);
        expect(strings(program, 'strings.NewReader("').map(hex)).toEqual(
          source.body.length > 0 ? [hex(source.body)] : [],
        );
        const values = source.headers.map(({ value: wanted }) => hex(encoder.encode(wanted)));
        expect(strings(program, '"], "').map(hex)).toEqual(values);
        const names = source.headers.map(({ name }) => name);
        expect(strings(program, '\trequest.Header["').map(String)).toEqual(names);
        expect(program.includes('"strings"')).toBe(source.body.length > 0);
      }),
      { numRuns: 200 },
    );
  });
});

/** A client with reqwest's names that prints what it is given. */
const REQWEST = `
mod reqwest {
    pub struct Method(Vec<u8>);
    impl Method {
        pub fn from_bytes(name: &[u8]) -> Result<Self, Box<dyn std::error::Error>> { Ok(Method(name.to_vec())) }
    }
    pub mod blocking {
        pub struct Client(Vec<Vec<u8>>);
        pub struct Response;
        impl Response {
            pub fn status(&self) -> &str { "" }
            pub fn text(self) -> Result<String, Box<dyn std::error::Error>> { Ok(String::new()) }
        }
        impl Client {
            pub fn new() -> Self { Client(Vec::new()) }
            fn with(mut self, part: &[u8]) -> Self { self.0.push(part.to_vec()); self }
            pub fn request(self, method: super::Method, url: &str) -> Self { self.with(&method.0).with(url.as_bytes()) }
            pub fn header(self, name: &str, value: &[u8]) -> Self { self.with(name.as_bytes()).with(value) }
            pub fn body(self, body: Vec<u8>) -> Self { self.with(&body) }
            pub fn send(self) -> Result<Response, Box<dyn std::error::Error>> {
                let text = |part: &Vec<u8>| part.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
                eprintln!("{}", self.0.iter().map(text).collect::<Vec<_>>().join(","));
                Ok(Response)
            }
        }
    }
}
`;

describe("a request as Rust", () => {
  it("sends the same bytes, whatever they are", () => {
    const sources = fc.sample(request, { numRuns: 60, seed: 11 });
    const programs = sources.map(
      (source, index) =>
        `#[allow(unused_mut)] mod p${index} { use super::reqwest; pub ${rustProgram(source, true).replace("fn main", "fn run").replace(/^.*\n/, "")} }`,
    );
    const calls = sources.map((_, index) => `p${index}::run().unwrap();`).join("\n");
    const folder = mkdtempSync(join(tmpdir(), "snippets-"));
    try {
      const file = join(folder, "main.rs");
      writeFileSync(file, `${REQWEST}\n${programs.join("\n")}\nfn main() {\n${calls}\n}\n`);
      execFileSync("rustc", ["--edition", "2024", "-o", join(folder, "main"), file], { stdio: "pipe" });
      const { stderr } = spawnSync(join(folder, "main"));
      const sent = stderr.toString().trimEnd().split("\n");
      const wanted = sources.map((source) =>
        [
          source.method,
          source.url,
          ...source.headers.flatMap(({ name, value: text }) => [name, text]),
          ...(source.body.length > 0 ? [source.body] : []),
        ]
          .map((part) => hex(typeof part === "string" ? encoder.encode(part) : part))
          .join(","),
      );
      expect(sent).toEqual(wanted);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 60_000);
});

/** Runs the command in a real sh with an `http` that prints its arguments and its input. */
function runHttpie(command: string) {
  const script = `http() { for word in "$@"; do printf '%s\\0' "$word"; done; case " $* " in *" --ignore-stdin "*) ;; *) printf '\\001'; cat;; esac; }\n${command}\n`;
  const output = execFileSync("sh", ["-c", script], { maxBuffer: 1 << 24 });
  const split = output.indexOf(1);
  const words = split === -1 ? output : output.subarray(0, split);
  return {
    args: words.toString("utf8").split("\0").slice(0, -1),
    input: split === -1 ? null : output.subarray(split + 1),
  };
}

describe("a request as HTTPie", () => {
  it("brings any body and header through sh unchanged", () => {
    fc.assert(
      fc.property(request, (source) => {
        // The stand-in marks its input with 1.
        fc.pre(!source.headers.some(({ value: text }) => text.includes("\u0001")));
        const { args, input } = runHttpie(httpieCommand(source, true));
        const raw = args.indexOf("--raw");
        const sent = raw === -1 ? (input ?? Buffer.alloc(0)) : Buffer.from(args[raw + 1] ?? "");
        expect(hex(sent)).toBe(hex(source.body));
        expect(args).toContain(source.url);
        for (const { name, value: text } of source.headers)
          expect(args).toContain(
            text === "" ? `${name};` : `${name}:${/^[=@:]/.test(text) ? "\\" : ""}${text}`,
          );
      }),
      { numRuns: 80 },
    );
  });
});

describe("a request for PowerShell", () => {
  it("has each name once, and no quote ends a string early", () => {
    const headers = [
      { name: "X-A", value: "it's \u2019 $(id) `x`" },
      { name: "x-a", value: "two" },
      { name: "Cookie", value: "a=1" },
      { name: "Cookie", value: "b=2" },
    ];
    const source = { method: "PUT", url: "https://a.test/", headers, body: encoder.encode("it's") };
    const command = powershellCommand(source, true);
    expect(command).toContain("'X-A' = 'it''s \u2019\u2019 $(id) `x`, two'");
    expect(command).toContain("[Text.Encoding]::UTF8.GetBytes('it''s')");
    expect(powershellCommand({ ...source, body: new Uint8Array([0, 255]) }, true)).toContain(
      "[Convert]::FromBase64String('AP8=')",
    );
    expect(command).toContain("'Cookie' = 'a=1; b=2'");
  });
});

it("hides secrets unless they are asked for", () => {
  const headers = [{ name: "Authorization", value: "Bearer t0p" }];
  const source = { method: "GET", url: "http://a.test", headers, body: new Uint8Array() };
  for (const snippet of [
    fetchSnippet,
    pythonSnippet,
    goProgram,
    rustProgram,
    httpieCommand,
    powershellCommand,
  ]) {
    expect(snippet(source, false)).not.toContain("t0p");
    expect(snippet(source, true)).toContain("Bearer t0p");
  }
});

describe("the authority that vouches for an address", () => {
  const authority = '/it\'s "here"/$(id)/ca.pem';
  const source = {
    method: "GET",
    url: "https://a.localhost/",
    headers: [],
    body: new Uint8Array(),
    authority,
  };

  it("is trusted by HTTPie", () => {
    expect(runHttpie(httpieCommand(source, true)).args).toContain(`--verify=${authority}`);
  });

  it("is trusted by Python, which reads the program", () => {
    const reader = `import ast, sys
call = next(n for n in ast.walk(ast.parse(sys.stdin.read())) if getattr(n, "arg", "") == "cafile")
print(call.value.value)`;
    const read = execFileSync("python3", ["-c", reader], { input: pythonSnippet(source, true) });
    expect(read.toString()).toBe(`${authority}\n`);
  }, 30_000);

  it("is read by Go and Rust", () => {
    expect(strings(goProgram(source, true), 'os.ReadFile("').map(String)).toEqual([authority]);
    expect(strings(rustProgram(source, true), 'std::fs::read("').map(String)).toEqual([authority]);
  });

  it("is named nowhere when there is none", () => {
    for (const write of [goProgram, rustProgram, httpieCommand, pythonSnippet])
      expect(write({ ...source, authority: null }, true)).not.toContain("ca.pem");
  });
});
