// Interns texts that many requests have in common, with a count for each. This saves memory and provides the values
// that filter suggestions offer.
import type { Summary } from "../api/types";

export type CommonText = "method" | "host" | "tunnel_name" | "status";

export class Texts {
  readonly #known: Record<CommonText, Map<string, { text: string; count: number }>> = {
    method: new Map(),
    host: new Map(),
    tunnel_name: new Map(),
    status: new Map(),
  };

  /** Counts the texts of a request and replaces them with the interned ones. */
  add(summary: Summary): void {
    summary.method = this.#count("method", summary.method);
    summary.host = this.#count("host", summary.host);
    summary.tunnel_name = this.#count("tunnel_name", summary.tunnel_name);
    if (summary.status !== null) summary.status = this.#count("status", summary.status);
  }

  remove(summary: Summary): void {
    this.#discount("method", summary.method);
    this.#discount("host", summary.host);
    this.#discount("tunnel_name", summary.tunnel_name);
    if (summary.status !== null) this.#discount("status", summary.status);
  }

  clear(): void {
    for (const texts of Object.values(this.#known)) texts.clear();
  }

  /** Returns the most frequent texts first. */
  frequent(kind: CommonText, most: number): string[] {
    return [...this.#known[kind].values()]
      .toSorted((a, b) => b.count - a.count)
      .slice(0, most)
      .map(({ text }) => text);
  }

  #count(kind: CommonText, text: string): string {
    const known = this.#known[kind].get(text);
    if (known) {
      known.count += 1;
      return known.text;
    }
    this.#known[kind].set(text, { text, count: 1 });
    return text;
  }

  #discount(kind: CommonText, text: string): void {
    const known = this.#known[kind].get(text);
    if (!known) return;
    known.count -= 1;
    if (known.count === 0) this.#known[kind].delete(text);
  }
}
