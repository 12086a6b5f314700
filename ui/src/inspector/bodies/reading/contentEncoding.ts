// The content codings of a message, separate from the decoders: the page only reads them, the worker decodes.

/** In the order in which they were applied, as `Content-Encoding` lists them (RFC 9110, section 8.4). */
export function codingsOf(header: string | null): string[] {
  return (header ?? "")
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
}
