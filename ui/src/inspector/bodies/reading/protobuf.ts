// Protocol buffers as a tree. Fields that are declared have their names and types; others have their numbers, and the
// most likely interpretation of each value.
import { hexPairs, latin1, utf8 } from "../../../model/bytes";
import { Nodes } from "./nodes";
import type { NodeFormat } from "./outline";
import {
  bytesTokens,
  declaredText,
  declaredTokens,
  fixedTokens,
  hex,
  isWords,
  shortName,
  stringTokens,
  timeText,
  varint,
  varintTokens,
  wordsTokens,
} from "./protobufValues";
import { wireOf, type FieldType, type MessageType, type Schema } from "./protoTypes";
import type { Token } from "./rows";

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
/** A value of a declared type. */
const DECLARED = 11;
/** A repeated field whose values are packed, and each of them. */
const PACKED = 12;
const ITEM = 13;

const MAX_NODES = 200_000;
/** Maximum depth; every level parses the same bytes again to see whether they are a message. */
const MAX_DEPTH = 32;

const ANY = "google.protobuf.Any";

/** The node that new nodes belong to, and their depth. */
interface Place {
  parent: number;
  level: number;
}

const TOP: Place = { parent: -1, level: 0 };

/** Several messages in one sequence of bytes, each with a heading of its own. */
export class Protobuf implements NodeFormat {
  readonly nodes = new Nodes();
  readonly source = null;
  readonly #bytes: Uint8Array;
  readonly #schema: Schema | null;
  readonly #headings: Token[][] = [];
  /** By node: its declaration; and of a value in a map its key. */
  readonly #declared: (FieldType | null)[] = [];
  readonly #keys = new Map<number, Token[]>();
  #misfit: string | null = null;
  /** Why the first message that does not fit its type does not; such messages are shown without the type. */
  misfit: string | null = null;
  more = false;

  constructor(bytes: Uint8Array, schema: Schema | null = null) {
    this.#bytes = bytes;
    this.#schema = schema;
  }

  /** One message with its fields at the top level; false where the bytes are not a message. */
  message(type: MessageType | null = null): boolean {
    return this.#top(0, this.#bytes.length, TOP, type).whole;
  }

  /** A message below a heading. */
  headed(
    heading: Token[],
    from: number,
    to: number,
    as: "message" | "words",
    type: MessageType | null = null,
  ): void {
    const node = this.#add(HEADING, TOP, from, to, this.#headings.length);
    const below = { parent: node, level: 1 };
    this.#headings.push(heading);
    if (as === "message") {
      const { fits } = this.#top(from, to, below, type);
      if (!fits && type) heading.push(["wrong", `  does not fit ${type.name}`]);
    } else if (to > from) this.nodes.close(this.#add(WORDS, below, from, to, 0), to);
    this.nodes.close(node, to);
  }

  #top(from: number, to: number, place: Place, type: MessageType | null): { whole: boolean; fits: boolean } {
    const start = this.nodes.size;
    const whole = this.#fieldsOrRest(from, to, place, type);
    if (type !== null && this.#misfit === null && to > from && !this.#hasDeclared(start))
      this.#misfit = "it declares none of their fields";
    if (this.#misfit === null) return { whole, fits: true };
    this.misfit ??= this.#misfit;
    this.#misfit = null;
    this.nodes.dropFrom(start);
    return { whole: this.#fieldsOrRest(from, to, place, null), fits: false };
  }

  #hasDeclared(start: number): boolean {
    for (let node = start; node < this.nodes.size; node = this.nodes.next(node))
      if (this.#declared[node]) return true;
    return this.more;
  }

  #fieldsOrRest(from: number, to: number, place: Place, type: MessageType | null): boolean {
    const start = this.nodes.size;
    const read = this.#fields(from, to, place, 0, type);
    if (read === to) return true;
    // The parsed fields are kept; the rest is shown as undecoded bytes.
    if (read === from) this.nodes.dropFrom(start);
    if (to > read) this.nodes.close(this.#add(REST, place, read, to, 0), to);
    return false;
  }

  #add(
    kind: number,
    place: Place,
    from: number,
    to: number,
    extra: number,
    declared: FieldType | null = null,
  ): number {
    const node = this.nodes.add(kind, place.parent, place.level, from, to, extra);
    this.#declared[node] = declared;
    this.#keys.delete(node);
    return node;
  }

  /** Parses fields while they are well formed and returns the end. */
  #fields(from: number, to: number, place: Place, group: number, type: MessageType | null): number {
    /** How often each repeated field has occurred. */
    const counts = new Map<number, number>();
    let content: MessageType | null = null;
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
      const declared = type?.fields.get(field) ?? null;
      let end: number | null = null;
      if (content !== null && declared !== null && field === 2)
        end = this.#content(declared, content, wire, at, to, place);
      if (end === null && declared !== null && declared.kind !== "unknown") {
        const index = counts.get(field) ?? 0;
        if (declared.repeated) counts.set(field, index + 1);
        end = this.#declaredValue(declared, declared.repeated ? index : field, wire, at, to, place);
      } else end ??= this.#value(wire, field, at, to, place, declared);
      if (end === null) {
        this.nodes.dropFrom(mark);
        return start;
      }
      if (type?.name === ANY && field === 1 && wire === 2) content = this.#contentType(at, end);
      at = end;
    }
    return at;
  }

  /** The type that `type_url` of an Any names. */
  #contentType(at: number, to: number): MessageType | null {
    const url = utf8(this.#bytes.subarray(varint(this.#bytes, at, to)?.next ?? to, to));
    return this.#schema?.messages.get(url?.split("/").at(-1) ?? "") ?? null;
  }

  /** The value of an Any as its message; null where it does not fit. */
  #content(
    declared: FieldType,
    message: MessageType,
    wire: number,
    at: number,
    to: number,
    place: Place,
  ): number | null {
    const mark = this.nodes.size;
    const field: FieldType = { ...declared, kind: "message", message };
    const end = this.#declaredValue(field, 2, wire, at, to, place);
    if (this.#misfit === null) return end;
    this.#misfit = null;
    this.nodes.dropFrom(mark);
    return null;
  }

  /** A value of a declared field. Where it does not fit, the whole message is shown without its type. */
  #declaredValue(
    declared: FieldType,
    extra: number,
    wire: number,
    at: number,
    to: number,
    place: Place,
  ): number | null {
    const isMessage = declared.kind === "message";
    if (wire === 3 && isMessage && place.level < MAX_DEPTH)
      return this.#group(declared, extra, at, to, place);
    const range = this.#range(wire, at, to);
    if (range === null) return wire === 3 || wire > 5 ? this.#misfits(declared) : null;
    const { begin, end } = range;
    const expected = wireOf(declared.kind);
    if (wire !== expected && wire === 2 && declared.repeated)
      return this.#packed(declared, expected, begin, end, place);
    if (wire !== expected) return this.#misfits(declared);
    if (declared.map) return this.#entry(declared, declared.map, begin, end, place);
    if (isMessage && place.level < MAX_DEPTH)
      return this.#nested(declared, declared.message, extra, begin, end, place);
    this.nodes.close(this.#add(DECLARED, place, begin, end, extra, declared), end);
    return end;
  }

  #misfits({ name, kind }: FieldType): null {
    this.#misfit ??= `“${name}” is not of type ${kind} there`;
    return null;
  }

  /** Where the bytes of a value are; null where it is cut off or has no length. */
  #range(wire: number, at: number, to: number): { begin: number; end: number } | null {
    if (wire === 0) {
      const value = varint(this.#bytes, at, to);
      return value === null ? null : { begin: at, end: value.next };
    }
    if (wire === 1) return at + 8 <= to ? { begin: at, end: at + 8 } : null;
    if (wire === 5) return at + 4 <= to ? { begin: at, end: at + 4 } : null;
    if (wire !== 2) return null;
    const length = varint(this.#bytes, at, to);
    if (length === null || length.value > BigInt(to - length.next)) return null;
    return { begin: length.next, end: length.next + Number(length.value) };
  }

  #nested(
    declared: FieldType,
    message: MessageType | null,
    extra: number,
    begin: number,
    end: number,
    place: Place,
  ): number | null {
    const node = this.#add(MESSAGE, place, begin, end, extra, declared);
    const read = this.#fields(begin, end, { parent: node, level: place.level + 1 }, 0, message);
    if (read !== end && !this.more) return this.#misfits(declared);
    this.nodes.close(node, end);
    return end;
  }

  #group(declared: FieldType, extra: number, at: number, to: number, place: Place): number | null {
    const node = this.#add(GROUP, place, at, at, extra, declared);
    // The number of the group is in the tag before it.
    const number = this.#fieldBefore(at);
    const end = -this.#fields(at, to, { parent: node, level: place.level + 1 }, number, declared.message);
    if (end <= at) return null;
    this.nodes.close(node, end);
    return end;
  }

  #packed(declared: FieldType, wire: number, begin: number, end: number, place: Place): number | null {
    const node = this.#add(PACKED, place, begin, end, 0, declared);
    const below = { parent: node, level: place.level + 1 };
    let at = begin;
    for (let index = 0; at < end; index += 1) {
      if (this.nodes.size >= MAX_NODES) {
        this.more = true;
        break;
      }
      const range = this.#range(wire, at, end);
      if (range === null) return this.#misfits(declared);
      this.nodes.close(this.#add(ITEM, below, range.begin, range.end, index, declared), range.end);
      at = range.end;
    }
    this.nodes.close(node, end);
    return end;
  }

  /** An entry of a map is a message with a key and a value, each of which may be left out. */
  #entry(
    declared: FieldType,
    { key, value }: NonNullable<FieldType["map"]>,
    begin: number,
    end: number,
    place: Place,
  ): number | null {
    let keyAt = { begin: end, end };
    let valueAt = { begin: end, end };
    for (let at = begin; at < end;) {
      const tag = varint(this.#bytes, at, end);
      const wire = Number((tag?.value ?? 0n) & 7n);
      const number = (tag?.value ?? 0n) >> 3n;
      const part = number === 1n ? key : number === 2n ? value : null;
      const range = tag === null ? null : this.#range(wire, tag.next, end);
      if (range === null || part === null || (part.kind !== "unknown" && wire !== wireOf(part.kind)))
        return this.#misfits(declared);
      if (number === 1n) keyAt = range;
      else valueAt = range;
      at = range.end;
    }
    const node = this.nodes.size;
    const field: FieldType = { ...value, name: declared.name };
    if (value.kind === "message" && place.level < MAX_DEPTH) {
      const nested = this.#nested(field, value.message, 0, valueAt.begin, valueAt.end, place);
      if (nested === null) return null;
    } else {
      const { begin: from, end: to } = valueAt;
      this.nodes.close(this.#add(DECLARED, place, from, to, 0, field), to);
    }
    this.#keys.set(node, declaredTokens(key, this.#bytes.subarray(keyAt.begin, keyAt.end)));
    return end;
  }

  #fieldBefore(at: number): number {
    let start = at - 1;
    while (start > 0 && at - start < 5 && (this.#bytes[start - 1] ?? 0) >= 128) start -= 1;
    return Number((varint(this.#bytes, start, at)?.value ?? 0n) >> 3n);
  }

  /** A value without a known type. */
  #value(
    wire: number,
    field: number,
    at: number,
    to: number,
    place: Place,
    declared: FieldType | null,
  ): number | null {
    const leaf = (kind: number, from: number, end: number) => {
      this.nodes.close(this.#add(kind, place, from, end, field, declared), end);
      return end;
    };
    if (wire === 3 && place.level < MAX_DEPTH) {
      const node = this.#add(GROUP, place, at, at, field, declared);
      const end = -this.#fields(at, to, { parent: node, level: place.level + 1 }, field, null);
      if (end <= at) return null;
      this.nodes.close(node, end);
      return end;
    }
    const range = this.#range(wire, at, to);
    if (range === null) return null;
    const { begin, end } = range;
    if (wire !== 2) return leaf(wire === 0 ? VARINT : wire === 1 ? FIXED64 : FIXED32, begin, end);
    const words = isWords(this.#bytes.subarray(begin, end));
    if (!words && place.level < MAX_DEPTH) {
      const node = this.#add(MESSAGE, place, begin, end, field, declared);
      if (this.#fields(begin, end, { parent: node, level: place.level + 1 }, 0, null) === end) {
        this.nodes.close(node, end);
        return end;
      }
      this.nodes.dropFrom(node);
    }
    return leaf(words ? STRING : BYTES, begin, end);
  }

  tokens(node: number): Token[] {
    const { nodes } = this;
    const kind = nodes.kind(node);
    if (kind === HEADING) return this.#headings[nodes.extra(node)] ?? [];
    const value = this.#valueOf(node);
    if (kind === WORDS) return wordsTokens(value);
    if (kind === REST) return [["wrong", `Not a message from here on: ${hex(value)}`]];
    const tokens = [...this.#label(node), ...this.#valueTokens(node, kind, value)];
    const { oneof = null } = this.#declared[node] ?? {};
    return oneof === null ? tokens : [...tokens, ["mark", `  oneof ${oneof}`]];
  }

  #label(node: number): Token[] {
    const extra = this.nodes.extra(node);
    const kind = this.nodes.kind(node);
    const declared = this.#declared[node] ?? null;
    if (kind === ITEM) return [["mark", `${extra}: `]];
    const name: Token = ["key", declared?.name ?? String(extra)];
    const key = this.#keys.get(node);
    if (key) return [name, ["mark", "["], ...key, ["mark", "]: "]];
    const isOneOfSeveral = declared?.repeated === true && kind !== PACKED && declared.kind !== "unknown";
    return [name, ["mark", isOneOfSeveral ? `[${extra}]: ` : ": "]];
  }

  #valueTokens(node: number, kind: number, value: Uint8Array): Token[] {
    const declared = this.#declared[node] ?? null;
    if ((kind === DECLARED || kind === ITEM) && declared) return declaredTokens(declared, value);
    if (kind === VARINT) return varintTokens(varint(value, 0, value.length)?.value ?? 0n);
    if (kind === FIXED32 || kind === FIXED64) return fixedTokens(value);
    if (kind === STRING) return stringTokens(utf8(value) ?? "");
    if (kind === BYTES) return bytesTokens(value);
    const count = this.nodes.children(node, 100_000);
    if (kind === PACKED) return [["mark", `[ ${count} ]`]];
    const tokens: Token[] = [["mark", `${kind === GROUP ? "group " : ""}{ ${count} }`]];
    if (declared?.message) tokens.push(["mark", `  ${this.#time(node) ?? shortName(declared.message.name)}`]);
    return tokens;
  }

  /** The moment or the span that a message of Google's types is. */
  #time(node: number): string | null {
    const { nodes } = this;
    const parts = { seconds: 0n, nanos: 0n };
    let children = 0;
    for (let child = node + 1; child < nodes.next(node) && children < 4; child = nodes.next(child)) {
      children += 1;
      const field = this.#declared[child];
      if (nodes.kind(child) === DECLARED && (field?.name === "seconds" || field?.name === "nanos"))
        parts[field.name] = BigInt(declaredText({ ...field, kind: "int64" }, this.#valueOf(child)));
    }
    return timeText(this.#declared[node]?.message?.name ?? "", parts.seconds, parts.nanos);
  }

  #valueOf(node: number): Uint8Array {
    return this.#bytes.subarray(this.nodes.from(node), this.nodes.to(node));
  }

  path(node: number): string {
    const steps: string[] = [];
    for (let at = node; at >= 0; at = this.nodes.parent(at)) {
      const kind = this.nodes.kind(at);
      if (kind === HEADING) continue;
      const label = this.#label(at).map(([, text]) => text);
      steps.push(label.join("").replace(/: $/, ""));
    }
    return steps.toReversed().join(".");
  }

  text(node: number): string {
    const kind = this.nodes.kind(node);
    const value = this.#valueOf(node);
    const declared = this.#declared[node];
    if ((kind === DECLARED || kind === ITEM) && declared) return declaredText(declared, value);
    if (kind === STRING || kind === WORDS) return utf8(value) ?? latin1(value);
    if (kind === VARINT) return String(varint(value, 0, value.length)?.value ?? "");
    return hexPairs(value).join("");
  }
}
