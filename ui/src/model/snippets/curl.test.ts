import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { curlCommand, quote } from "./curl";
import { bytes } from "../sample";

const base = { method: "GET", url: "https://a.localhost:4443/x", headers: [], body: new Uint8Array() };

/** Runs the command in a real sh with a `curl` that prints its arguments and its input. */
function run(command: string): { args: string[]; input: Buffer } {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; case " $* " in *" --data-binary @- "*) printf '\\001'; cat;; esac; }\n${command}\n`;
  const output = execFileSync("sh", ["-c", script], { maxBuffer: 1 << 24 });
  const split = output.indexOf(1);
  const words = split === -1 ? output : output.subarray(0, split);
  return {
    args: words.toString("utf8").split("\0").slice(0, -1),
    input: split === -1 ? Buffer.alloc(0) : output.subarray(split + 1),
  };
}

const anyText = fc
  .string({ unit: "binary", maxLength: 60 })
  // oxlint-disable-next-line no-control-regex -- a shell argument cannot carry NUL, and 1 marks the input below
  .filter((text) => !/[\u0000\u0001\ud800-\udfff]/.test(text));

describe("quoting for a shell", () => {
  it("brings any text through sh unchanged", () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1, maxLength: 20 }), (texts) => {
        expect(run(`curl ${texts.map(quote).join(" ")}`).args).toEqual(texts);
      }),
      { numRuns: 60 },
    );
  });

  it.each(["'", "''", "a'b", "$(id)", "`id`", "\\", "!x", "a\nb", "", " ", "-n", "*", "~", "#", "é", "%s"])(
    "keeps %j",
    (text) => {
      expect(run(`curl ${quote(text)}`).args).toEqual([text]);
    },
  );
});

describe("a request as curl", () => {
  it("brings any body through sh unchanged", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), (body) => {
        const { args, input } = run(curlCommand({ ...base, method: "POST", body }, true));
        const inline = args.indexOf("--data-raw");
        const sent = inline === -1 ? input : Buffer.from(args[inline + 1] ?? "", "utf8");
        expect(sent.equals(Buffer.from(body))).toBe(true);
      }),
      { numRuns: 80 },
    );
  });

  it("brings text bodies through, also those that look like options, files or formats", () => {
    for (const text of ["@/etc/passwd", "-x", "%d\\n", "it's", "a&b=c", '{"a":"$HOME"}']) {
      const { args } = run(curlCommand({ ...base, method: "POST", body: bytes(text) }, true));
      expect(args[args.indexOf("--data-raw") + 1]).toBe(text);
    }
  });

  it("gives headers as they are and leaves those out that curl says itself", () => {
    const headers = [
      { name: "Host", value: "a.localhost:4443" },
      { name: "Accept", value: "text/html; q='1'" },
      { name: "X-Empty", value: "" },
      { name: "Content-Length", value: "3" },
      { name: "@file", value: "x" },
    ];
    const { args } = run(curlCommand({ ...base, headers }, true));
    expect(args).toEqual([
      "https://a.localhost:4443/x",
      "--header",
      "Accept: text/html; q='1'",
      "--header",
      "X-Empty;",
    ]);
  });

  it("hides secrets unless they are revealed", () => {
    const headers = [{ name: "Authorization", value: "Bearer s3cret" }];
    expect(curlCommand({ ...base, headers }, false)).not.toContain("s3cret");
    expect(curlCommand({ ...base, headers }, true)).toContain("Authorization: Bearer s3cret");
  });

  it("names the authority that vouches for the address, however its path is spelled", () => {
    fc.assert(
      fc.property(anyText, (path) => {
        const { args } = run(curlCommand({ ...base, authority: `/${path}` }, true));
        expect(args).toEqual(["--cacert", `/${path}`, base.url]);
      }),
      { numRuns: 60 },
    );
  });

  it("keeps the method and unusual addresses", () => {
    expect(run(curlCommand({ ...base, method: "DELETE" }, true)).args).toContain("DELETE");
    expect(run(curlCommand({ ...base, method: "HEAD" }, true)).args).toContain("--head");
    expect(run(curlCommand({ ...base, url: "https://a/x[1]/../y" }, true)).args).toEqual([
      "--globoff",
      "--path-as-is",
      "https://a/x[1]/../y",
    ]);
  });
});
