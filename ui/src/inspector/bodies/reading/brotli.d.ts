// The decoder below the package's front door, which can be stopped: the front door makes everything there is.
declare module "brotli/dec/decode.js" {
  export function BrotliDecompress(
    input: { read(into: Uint8Array, from: number, count: number): number },
    output: { buffer: { length: number }; write(piece: Uint8Array, count: number): number },
  ): void;
}
