// Messages of `permessage-deflate` (RFC 7692): each continues the stream of its direction.
import { Inflate } from "fflate";
import { concat } from "../../../model/bytes";

/** Maximum size of one decompressed message, in bytes. */
const MAX_MESSAGE_BYTES = 256 * 1024;
const TAIL = new Uint8Array([0, 0, 0xff, 0xff]);

interface Direction {
  stream: Inflate;
  pieces: Uint8Array[];
  broken: boolean;
}

const directions = new Map<string, Direction>();

/** Null from the first message that cannot be decoded. */
export function inflateMessage(name: string, bytes: Uint8Array, last: boolean): Uint8Array | null {
  let direction = directions.get(name);
  if (!direction) {
    const begun: Direction = { stream: new Inflate(), pieces: [], broken: false };
    begun.stream.ondata = (piece) => begun.pieces.push(piece);
    directions.set(name, begun);
    direction = begun;
  }
  if (direction.broken) return null;
  direction.pieces = [];
  try {
    direction.stream.push(bytes);
    if (last) direction.stream.push(TAIL);
  } catch {
    direction.broken = true;
    return null;
  }
  return concat(direction.pieces).subarray(0, MAX_MESSAGE_BYTES).slice();
}
