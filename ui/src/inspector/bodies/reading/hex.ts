// Formats sixteen bytes as a row: offset, hexadecimal, printable characters.
import { hexPairs } from "../../../model/bytes";

export const PER_ROW = 16;

export function hexRow(
  bytes: Uint8Array,
  at: number,
  offset: number,
  length: number,
): { offset: string; hex: string; text: string } {
  const part = bytes.subarray(at, at + PER_ROW);
  const cells = hexPairs(part);
  const left = cells.slice(0, 8).join(" ").padEnd(23);
  const right = cells.slice(8).join(" ").padEnd(23);
  const text = Array.from(part, (byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·",
  ).join("");
  const digits = Math.max(6, length.toString(16).length);
  return { offset: offset.toString(16).padStart(digits, "0"), hex: `${left}  ${right}`, text };
}
