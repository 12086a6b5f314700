// Blocks of PEM texts (RFC 7468), as OpenSSL writes them. Text between blocks is ignored.

export interface Block {
  /** `CERTIFICATE`, `PRIVATE KEY` … */
  label: string;
  der: Uint8Array<ArrayBuffer>;
  /** Headers such as `Proc-Type: 4,ENCRYPTED`. */
  encrypted: boolean;
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g;
const HEADER = /^[A-Za-z-]+:.*$/gm;

/** The blocks of a text, or the error in it. */
export function blocksOf(text: string): Block[] | string {
  const blocks: Block[] = [];
  for (const [, label = "", inside = ""] of text.matchAll(BLOCK)) {
    const body = inside.replace(HEADER, "").replace(/\s+/g, "");
    const der = decoded(body);
    if (!der) return `The block “${label}” is damaged: it is not Base64.`;
    const encrypted = label.startsWith("ENCRYPTED") || /Proc-Type:.*ENCRYPTED/.test(inside);
    blocks.push({ label, der, encrypted });
  }
  const begun = text.match(/-----BEGIN /g)?.length ?? 0;
  if (begun > blocks.length) return "A block is incomplete: its last line, -----END …-----, is missing.";
  return blocks;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  if (base64 === "") return null;
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

export function isKey(label: string): boolean {
  return label.endsWith("PRIVATE KEY");
}
