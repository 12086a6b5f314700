// The content codings of a message, apart from what undoes them: the page asks, only the worker undoes.

/** In the order they were applied, as `Content-Encoding` lists them. */
export function codingsOf(header: string | null): string[] {
  return (header ?? "")
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
}
