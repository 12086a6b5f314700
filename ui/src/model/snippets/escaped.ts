// Bytes between the quotes of a string literal, in the escapes that Python, Go and Rust have in common.

export function escaped(value: Uint8Array): string {
  const units = Array.from(value, (byte) => {
    const character = String.fromCharCode(byte);
    if (character === '"' || character === "\\") return `\\${character}`;
    if (character === "\n") return "\\n";
    return byte >= 0x20 && byte < 0x7f ? character : `\\x${byte.toString(16).padStart(2, "0")}`;
  });
  return units.join("");
}
