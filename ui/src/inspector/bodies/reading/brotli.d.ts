// The package's inner decoder, which can be stopped; its public one always decodes everything.
declare module "brotli/dec/decode.js" {
  export function BrotliDecompress(
    input: { read(into: Uint8Array, from: number, count: number): number },
    output: { buffer: { length: number }; write(piece: Uint8Array, count: number): number },
  ): void;
}
