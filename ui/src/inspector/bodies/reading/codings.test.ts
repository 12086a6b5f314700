import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeContent } from "./codings";
import { codingsOf } from "./contentEncoding";

const MB = 1024 * 1024;
const text = "body ".repeat(1000);
const said = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
/** Ten bytes expand to 128 KiB each: RLE blocks of zstandard, put together by hand. */
function zstdBomb(blocks: number): Uint8Array {
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
  return Uint8Array.from([
    ...head,
    ...Array.from({ length: blocks }, (_, at) => block(at === blocks - 1)).flat(),
  ]);
}

const block = (last: boolean) => {
  const header = ((128 * 1024) << 3) | (1 << 1) | (last ? 1 : 0);
  return [header & 255, (header >> 8) & 255, (header >> 16) & 255, 0x41];
};

describe("content codings", () => {
  it.each([
    ["gzip", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["deflate", deflateRawSync(text)],
    ["br", brotliCompressSync(text)],
  ])("%s is undone", async (coding, bytes) => {
    const { bytes: plain, notes, done } = await decodeContent(bytes, [coding], MB);
    expect(said(plain)).toBe(text);
    expect(notes).toEqual([`Decoded from ${coding}.`]);
    expect(done).toBe(true);
  });

  it("one in the other are undone from the last to the first", async () => {
    const { bytes } = await decodeContent(brotliCompressSync(gzipSync(text)), ["gzip", "br"], MB);
    expect(said(bytes)).toBe(text);
    const many = await decodeContent(
      gzipSync(text),
      Array.from({ length: 9 }, () => "gzip"),
      MB,
    );
    expect(many.done).toBe(false);
  });

  it.each([
    ["gzip", gzipSync(Buffer.alloc(256 * MB))],
    ["br", brotliCompressSync(Buffer.alloc(256 * MB), { params: {} })],
    ["zstd", zstdBomb(10_000)],
  ])("a bomb of %s goes off no further than the limit", { timeout: 60_000 }, async (coding, bytes) => {
    expect(bytes.length).toBeLessThan(MB);
    const { bytes: plain, notes } = await decodeContent(bytes, [coding], 2 * MB);
    expect(plain.length).toBe(2 * MB);
    expect(notes.join(" ")).toContain("Only the first 2 MB were decoded.");
  });

  it("what was cut gives what there is", async () => {
    const noise = Array.from({ length: 40_000 }, (_, at) => (at * 7919) % 65_521).join(" ");
    const whole = gzipSync(noise);
    const { bytes, notes } = await decodeContent(whole.subarray(0, whole.length / 2), ["gzip"], MB);
    expect(noise.startsWith(said(bytes).slice(0, 1000))).toBe(true);
    expect(bytes.length).toBeGreaterThan(1000);
    expect(notes).toContain("The encoded data ends early or is damaged.");
  });

  it.each(["gzip", "br", "zstd", "deflate", "compress", "<script>"])(
    "bytes that are no %s stay as they came",
    async (coding) => {
      const bytes = Uint8Array.from([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
      const { bytes: same, done, notes } = await decodeContent(bytes, [coding], MB);
      expect(same).toEqual(bytes);
      expect(done).toBe(false);
      expect(notes.join(" ")).not.toContain("<");
    },
  );

  it("are read from the header", () => {
    expect(codingsOf(" GZIP , identity,br ")).toEqual(["gzip", "br"]);
    expect(codingsOf(null)).toEqual([]);
  });
});
