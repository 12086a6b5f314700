// Detects the format of an image by its first bytes, and its size once decoded.

export interface ImageInfo {
  type: string;
  /** Null where the size is not found in the places that are checked. */
  width: number | null;
  height: number | null;
}

/** The raster formats that browsers display; null for anything else, including SVG. */
export function imageInfo(bytes: Uint8Array): ImageInfo | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  if (text(1, 4) === "PNG" && bytes.length >= 24)
    return { type: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
  if (text(0, 4) === "GIF8" && bytes.length >= 10)
    return { type: "image/gif", width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (text(0, 2) === "BM" && bytes.length >= 26)
    return {
      type: "image/bmp",
      width: Math.abs(view.getInt32(18, true)),
      height: Math.abs(view.getInt32(22, true)),
    };
  if (text(0, 4) === "RIFF" && text(8, 12) === "WEBP") return { type: "image/webp", ...webp(bytes, view) };
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return { type: "image/jpeg", ...jpeg(bytes, view) };
  if (text(4, 8) === "ftyp" && /^avi[fs]$/.test(text(8, 12)))
    return { type: "image/avif", ...avif(bytes, view) };
  if (view.byteLength > 6 && view.getUint32(0) === 0x100)
    return { type: "image/x-icon", width: null, height: null };
  return null;
}

type Size = Pick<ImageInfo, "width" | "height">;
const UNKNOWN: Size = { width: null, height: null };

function webp(bytes: Uint8Array, view: DataView): Size {
  if (bytes.length < 30) return UNKNOWN;
  const kind = String.fromCharCode(...bytes.subarray(12, 16));
  if (kind === "VP8X")
    return {
      width: 1 + (view.getUint32(24, true) & 0xff_ffff),
      height: 1 + (view.getUint32(26, true) >>> 8),
    };
  if (kind === "VP8L") {
    const bits = view.getUint32(21, true);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
  }
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

function jpeg(bytes: Uint8Array, view: DataView): Size {
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return UNKNOWN;
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return UNKNOWN;
}

/** The largest size of the images inside. */
function avif(bytes: Uint8Array, view: DataView): Size {
  let size: Size = UNKNOWN;
  for (let at = 0; at + 16 < Math.min(bytes.length, 4096); at += 1) {
    if (String.fromCharCode(...bytes.subarray(at, at + 4)) !== "ispe") continue;
    const [width, height] = [view.getUint32(at + 8), view.getUint32(at + 12)];
    if (width * height > (size.width ?? 0) * (size.height ?? 0)) size = { width, height };
  }
  return size;
}

/** Maximum number of pixels; decoded, such an image takes at most one gigabyte of memory. */
export const MAX_PIXELS = 100_000_000;
