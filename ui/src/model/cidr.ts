// Addresses and networks in CIDR notation, validated and formatted as the API does.

export type Cidr = { network: string } | { mistake: string };

const SHAPE = "Enter an address (203.0.113.7) or a network (10.0.0.0/8, 2001:db8::/32).";

/** Parses a network. A bare address is a network of one; bits after the prefix must be zero. */
export function readCidr(text: string): Cidr {
  const [address = "", prefix, ...rest] = text.trim().split("/");
  if (rest.length > 0) return { mistake: SHAPE };
  const four = readFour(address);
  const bytes = four ?? readSix(address);
  if (bytes === null) return { mistake: SHAPE };
  const most = bytes.length * 8;
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return { mistake: SHAPE };
  const length = prefix === undefined ? most : Number(prefix);
  if (length > most) return { mistake: `The part after the slash must be a number from 0 to ${most}.` };
  const cut = bytes.map(
    (byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, length - index * 8))) & 0xff,
  );
  const network = `${four ? cut.join(".") : writeSix(cut)}/${length}`;
  if (cut.some((byte, index) => byte !== bytes[index]))
    return {
      mistake: `The address has bits set beyond its prefix of ${length} bits. Did you mean ${network}?`,
    };
  return { network };
}

/** Number of addresses in a network, in words. */
export function sizeOfNetwork(network: string): string {
  const [address = "", prefix = ""] = network.split("/");
  const bits = (address.includes(":") ? 128 : 32) - Number(prefix);
  if (bits === 0) return "one address";
  return bits <= 32 ? `${(2 ** bits).toLocaleString("en")} addresses` : `2^${bits} addresses`;
}

/** Whether an address is in a network; null if either is invalid. IPv4-mapped IPv6 addresses count as IPv4. */
export function isWithin(address: string, network: string): boolean | null {
  const [first = "", prefix] = network.split("/");
  const [one, other] = [bytesOf(address), bytesOf(first)];
  if (one === null || other === null) return null;
  const length = prefix === undefined ? other.length * 8 : Number(prefix);
  if (one.length !== other.length) return false;
  return one.every((byte, index) => {
    const remaining = Math.min(8, Math.max(0, length - index * 8));
    return ((byte ^ (other[index] ?? 0)) & (0xff00 >> remaining) & 0xff) === 0;
  });
}

function bytesOf(address: string): number[] | null {
  const bytes = readFour(address.trim()) ?? readSix(address.trim());
  const mapped =
    bytes?.length === 16 && bytes.slice(0, 12).every((byte, index) => byte === (index < 10 ? 0 : 0xff));
  return mapped ? bytes.slice(12) : bytes;
}

function readFour(text: string): number[] | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) return null;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : null;
}

function readSix(text: string): number[] | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const read = halves.map((half) => (half === "" ? [] : half.split(":").flatMap(readGroup)));
  if (read.flat().some((group) => group === null)) return null;
  const [before = [], after] = read as number[][];
  const missing = 8 - before.length - (after?.length ?? 0);
  if (after === undefined ? missing !== 0 : missing < 1) return null;
  const groups = after === undefined ? before : [...before, ...Array<number>(missing).fill(0), ...after];
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}

/** One group, or the two groups that a trailing IPv4 address represents. */
function readGroup(text: string, index: number, all: string[]): (number | null)[] {
  if (text.includes(".") && index === all.length - 1) {
    const four = readFour(text);
    if (!four) return [null];
    const [a = 0, b = 0, c = 0, d = 0] = four;
    return [(a << 8) | b, (c << 8) | d];
  }
  return [/^[0-9a-fA-F]{1,4}$/.test(text) ? parseInt(text, 16) : null];
}

/** Compresses the longest run of zeros to `::`, the first one of equal length (RFC 5952). */
function writeSix(bytes: readonly number[]): string {
  const groups = Array.from(
    { length: 8 },
    (_, index) => ((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0),
  );
  let best = { from: -1, length: 1 };
  for (let from = 0; from < 8; from += 1) {
    let length = 0;
    while (from + length < 8 && groups[from + length] === 0) length += 1;
    if (length > best.length) best = { from, length };
  }
  const words = groups.map((group) => group.toString(16));
  if (best.from < 0) return words.join(":");
  return `${words.slice(0, best.from).join(":")}::${words.slice(best.from + best.length).join(":")}`;
}
