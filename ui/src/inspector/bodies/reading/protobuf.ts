// Protocol buffers without their schema: field numbers, and the most likely interpretation of each value.
import { latin1, utf8 } from "../../../model/bytes";
import { Nodes } from "./nodes";
import type { NodeFormat } from "./outline";
import { escapeDeceptive, type Token } from "./rows";

const VARINT = 1;
const FIXED64 = 2;
const MESSAGE = 3;
const STRING = 4;
const BYTES = 5;
const GROUP = 6;
const FIXED32 = 7;
const HEADING = 8;
const WORDS = 9;
const REST = 10;

const MAX_NODES = 200_000;
/** Maximum depth; every level parses the same bytes again to see whether they are a message. */
const MAX_DEPTH = 32;
const SHOWN_BYTES = 400;

/** Several messages in one sequence of bytes, each with a heading of its own. */
export class Protobuf implements NodeFormat {
  readonly nodes = new Nodes();
  readonly source = null;
  readonly #bytes: Uint8Array;
  readonly #headings: Token[][] = [];
  more = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** One message with its fields at the top level; false where the bytes are not a message. */
  message(from = 0, to = this.#bytes.length): boolean {
    return this.#fieldsOrRest(from, to, -1, 0);
  }

  /** A message below a heading. */
  headed(heading: Token[], from: number, to: number, as: "message" | "words"): void {
    const node = this.nodes.add(HEADING, -1, 0, from, to, this.#headings.length);
    this.#headings.push(heading);
    if (as === "message") this.#fieldsOrRest(from, to, node, 1);
    else if (to > from) this.nodes.close(this.nodes.add(WORDS, node, 1, from, to, 0), to);
    this.nodes.close(node, to);
  }

  #fieldsOrRest(from: number, to: number, parent: number, level: number): boolean {
    const start = this.nodes.size;
    const read = this.#fields(from, to, parent, level, 0);
    if (read === to) return true;
    // The parsed fields are kept; the rest is shown as undecoded bytes.
    if (read === from) this.nodes.dropFrom(start);
    if (to > read) this.nodes.close(this.nodes.add(REST, parent, level, read, to, 0), to);
    return false;
  }

  /** Parses fields while they are well formed and returns the end. */
  #fields(from: number, to: number, parent: number, level: number, group: number): number {
    let at = from;
    while (at < to) {
      if (this.nodes.size >= MAX_NODES) {
        this.more = true;
        return at;
      }
      const start = at;
      const tag = varint(this.#bytes, at, to);
      if (tag === null || tag.value > 0xffff_ffffn || tag.value < 8n) return start;
      const field = Number(tag.value >> 3n);
      const wire = Number(tag.value & 7n);
      const mark = this.nodes.size;
      at = tag.next;
      if (wire === 4) {
        if (field !== group) return start;
        return -at;
      }
      const end = this.#value(wire, field, at, to, parent, level);
      if (end === null) {
        this.nodes.dropFrom(mark);
        return start;
      }
      at = end;
    }
    return at;
  }

  #value(wire: number, field: number, at: number, to: number, parent: number, level: number): number | null {
    const leaf = (kind: number, from: number, end: number) => {
      this.nodes.close(this.nodes.add(kind, parent, level, from, end, field), end);
      return end;
    };
    if (wire === 0) {
      const value = varint(this.#bytes, at, to);
      return value === null ? null : leaf(VARINT, at, value.next);
    }
    if (wire === 1) return at + 8 <= to ? leaf(FIXED64, at, at + 8) : null;
    if (wire === 5) return at + 4 <= to ? leaf(FIXED32, at, at + 4) : null;
    if (wire === 2) {
      const length = varint(this.#bytes, at, to);
      if (length === null || length.value > BigInt(to - length.next)) return null;
      const begin = length.next;
      const end = begin + Number(length.value);
      const bytes = this.#bytes.subarray(begin, end);
      if (!isWords(bytes) && end > begin && level < MAX_DEPTH) {
        const node = this.nodes.add(MESSAGE, parent, level, begin, end, field);
        if (this.#fields(begin, end, node, level + 1, 0) === end) {
          this.nodes.close(node, end);
          return end;
        }
        this.nodes.dropFrom(node);
      }
      return leaf(isWords(bytes) ? STRING : BYTES, begin, end);
    }
    if (wire === 3 && level < MAX_DEPTH) {
      const node = this.nodes.add(GROUP, parent, level, at, at, field);
      const end = -this.#fields(at, to, node, level + 1, field);
      if (end <= at) return null;
      this.nodes.close(node, end);
      return end;
    }
    return null;
  }

  tokens(node: number): Token[] {
    const { nodes } = this;
    const kind = nodes.kind(node);
    if (kind === HEADING) return this.#headings[nodes.extra(node)] ?? [];
    const value = this.#bytes.subarray(nodes.from(node), nodes.to(node));
    if (kind === WORDS)
      return escapeDeceptive("plain", shortened(latin1(value.subarray(0, SHOWN_BYTES + 1))));
    if (kind === REST) return [["wrong", `Not a message from here on: ${hex(value)}`]];
    const name: Token[] = [
      ["key", String(nodes.extra(node))],
      ["mark", ": "],
    ];
    const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
    if (kind === VARINT) return [...name, ...varintTokens(varint(value, 0, value.length)?.value ?? 0n)];
    if (kind === FIXED32)
      return [
        ...name,
        ["number", String(view.getInt32(0, true))],
        ["mark", `  fixed32, as float ${real(view.getFloat32(0, true))}`],
      ];
    if (kind === FIXED64)
      return [
        ...name,
        ["number", String(view.getBigInt64(0, true))],
        ["mark", `  fixed64, as double ${real(view.getFloat64(0, true))}`],
      ];
    if (kind === STRING)
      return [...name, ...escapeDeceptive("string", JSON.stringify(shortened(utf8(value) ?? "")))];
    if (kind === BYTES) return [...name, ["word", hex(value)], ["mark", `  ${value.length} bytes`]];
    return [...name, ["mark", `${kind === GROUP ? "group " : ""}{ ${nodes.children(node, 100_000)} }`]];
  }

  path(node: number): string {
    const steps: string[] = [];
    for (let at = node; at >= 0; at = this.nodes.parent(at)) {
      if (this.nodes.kind(at) !== HEADING) steps.push(String(this.nodes.extra(at)));
    }
    return steps.toReversed().join(".");
  }

  text(node: number): string {
    const value = this.#bytes.subarray(this.nodes.from(node), this.nodes.to(node));
    if (this.nodes.kind(node) === STRING || this.nodes.kind(node) === WORDS)
      return utf8(value) ?? latin1(value);
    if (this.nodes.kind(node) === VARINT) return String(varint(value, 0, value.length)?.value ?? "");
    return Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}

export function varint(bytes: Uint8Array, at: number, to: number): { value: bigint; next: number } | null {
  let value = 0n;
  for (let index = 0; index < 10 && at + index < to; index += 1) {
    const byte = bytes[at + index] ?? 0;
    value |= BigInt(byte & 127) << BigInt(7 * index);
    if (byte < 128) return { value: BigInt.asUintN(64, value), next: at + index + 1 };
  }
  return null;
}

function varintTokens(value: bigint): Token[] {
  const signed = BigInt.asIntN(64, value);
  const tokens: Token[] = [["number", String(signed)]];
  // Negative `sint` values are stored zigzag-encoded; a small value is likely a plain number.
  if (value > 1n && signed > 0n) {
    const zigzag = (value >> 1n) ^ -(value & 1n);
    if (zigzag < 0n) tokens.push(["mark", `  as sint ${zigzag}`]);
  }
  return tokens;
}

/** Text that a person could have written, without control characters except line breaks and tabs. */
function isWords(bytes: Uint8Array): boolean {
  if (bytes.length === 0) return true;
  const text = utf8(bytes);
  // oxlint-disable-next-line no-control-regex -- control characters distinguish bytes from text
  return text !== null && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text) && text !== "\n";
}

function shortened(text: string): string {
  return text.length > SHOWN_BYTES ? `${text.slice(0, SHOWN_BYTES)}…` : text;
}

function hex(bytes: Uint8Array): string {
  const shown = Array.from(bytes.subarray(0, 32), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return bytes.length > 32 ? `${shown} …` : shown;
}

function real(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(9))) : String(value);
}
