// Values of protocol buffers as text: by their declared type, or the most likely one where there is none.
import { hexPairs, latin1, utf8 } from "../../../model/bytes";
import type { FieldType } from "./protoTypes";
import { escapeDeceptive, type Token } from "./rows";

const SHOWN_BYTES = 400;

export function varint(bytes: Uint8Array, at: number, to: number): { value: bigint; next: number } | null {
  let value = 0n;
  for (let index = 0; index < 10 && at + index < to; index += 1) {
    const byte = bytes[at + index] ?? 0;
    value |= BigInt(byte & 127) << BigInt(7 * index);
    if (byte < 128) return { value: BigInt.asUintN(64, value), next: at + index + 1 };
  }
  return null;
}

/** The value of a declared scalar or enum. No bytes are its default value: a map may leave it out. */
export function declaredTokens(field: FieldType, value: Uint8Array): Token[] {
  switch (field.kind) {
    case "string": {
      const text = utf8(value);
      if (text !== null) return stringTokens(text);
      return [...bytesTokens(value), ["wrong", ", not valid UTF-8"]];
    }
    case "bool":
      return [["word", declaredText(field, value)]];
    case "enum": {
      const number = enumNumber(value);
      const name = field.values?.names.get(number);
      if (name === undefined)
        return [
          ["number", String(number)],
          ["mark", `  not in ${shortName(field.values?.name ?? "the enum")}`],
        ];
      return [
        ["word", name],
        ["mark", `  ${number}`],
      ];
    }
    case "bytes":
    case "message":
    case "map":
    case "unknown":
      return bytesTokens(value);
    default:
      return [["number", declaredText(field, value)]];
  }
}

export function declaredText(field: FieldType, value: Uint8Array): string {
  const number = () => varint(value, 0, value.length)?.value ?? 0n;
  const padded = new Uint8Array(8);
  padded.set(value.subarray(0, 8));
  const view = new DataView(padded.buffer);
  switch (field.kind) {
    case "int32":
      return String(BigInt.asIntN(32, number()));
    case "int64":
      return String(BigInt.asIntN(64, number()));
    case "uint32":
      return String(BigInt.asUintN(32, number()));
    case "uint64":
      return String(number());
    case "sint32":
      return String(zigzag(BigInt.asUintN(32, number())));
    case "sint64":
      return String(zigzag(number()));
    case "bool":
      return String(number() !== 0n);
    case "fixed32":
      return String(view.getUint32(0, true));
    case "sfixed32":
      return String(view.getInt32(0, true));
    case "float":
      return real(view.getFloat32(0, true));
    case "fixed64":
      return String(view.getBigUint64(0, true));
    case "sfixed64":
      return String(view.getBigInt64(0, true));
    case "double":
      return String(view.getFloat64(0, true));
    case "enum": {
      const chosen = enumNumber(value);
      return field.values?.names.get(chosen) ?? String(chosen);
    }
    case "string":
      return utf8(value) ?? latin1(value);
    default:
      return hexPairs(value).join("");
  }
}

function enumNumber(value: Uint8Array): number {
  return Number(BigInt.asIntN(32, varint(value, 0, value.length)?.value ?? 0n));
}

function zigzag(value: bigint): bigint {
  return (value >> 1n) ^ -(value & 1n);
}

export function shortName(name: string): string {
  return name.split(".").at(-1) ?? name;
}

export function stringTokens(text: string): Token[] {
  return escapeDeceptive("string", JSON.stringify(shortened(text)));
}

export function wordsTokens(value: Uint8Array): Token[] {
  return escapeDeceptive("plain", shortened(latin1(value.subarray(0, SHOWN_BYTES + 1))));
}

export function bytesTokens(value: Uint8Array): Token[] {
  return [
    ["word", hex(value)],
    ["mark", `${value.length === 0 ? "" : "  "}${value.length} bytes`],
  ];
}

export function varintTokens(value: bigint): Token[] {
  const signed = BigInt.asIntN(64, value);
  const tokens: Token[] = [["number", String(signed)]];
  // Negative `sint` values are stored zigzag-encoded; a small value is likely a plain number.
  if (value > 1n && signed > 0n && zigzag(value) < 0n) tokens.push(["mark", `  as sint ${zigzag(value)}`]);
  return tokens;
}

export function fixedTokens(value: Uint8Array): Token[] {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  if (value.length === 4)
    return [
      ["number", String(view.getInt32(0, true))],
      ["mark", `  fixed32, as float ${real(view.getFloat32(0, true))}`],
    ];
  return [
    ["number", String(view.getBigInt64(0, true))],
    ["mark", `  fixed64, as double ${real(view.getFloat64(0, true))}`],
  ];
}

/** `google.protobuf.Timestamp` as a date, `google.protobuf.Duration` in seconds; null for other messages. */
export function timeText(type: string, seconds: bigint, nanos: bigint): string | null {
  if (type === "google.protobuf.Duration") {
    const total = seconds * 1_000_000_000n + nanos;
    const whole = (total < 0n ? -total : total).toString().padStart(10, "0");
    return `${total < 0n ? "-" : ""}${whole.slice(0, -9)}.${whole.slice(-9)}`.replace(/\.?0+$/, "") + "s";
  }
  if (type !== "google.protobuf.Timestamp") return null;
  const date = new Date(Number(seconds) * 1000 + Number(nanos / 1_000_000n));
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Text that a person could have written, without control characters except line breaks and tabs. */
export function isWords(bytes: Uint8Array): boolean {
  if (bytes.length === 0) return true;
  const text = utf8(bytes);
  // oxlint-disable-next-line no-control-regex -- control characters distinguish bytes from text
  return text !== null && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text) && text !== "\n";
}

function shortened(text: string): string {
  return text.length > SHOWN_BYTES ? `${text.slice(0, SHOWN_BYTES)}…` : text;
}

export function hex(bytes: Uint8Array): string {
  const shown = hexPairs(bytes.subarray(0, 32)).join(" ");
  return bytes.length > 32 ? `${shown} …` : shown;
}

function real(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(9))) : String(value);
}
