// A visitor's browser, as far as logins are concerned: cookies by host, and redirects that are followed by hand.
import { readFileSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { toLoopback } from "../../browser/kit/world";

export interface Answer {
  url: string;
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** Whole `Set-Cookie` lines. */
  cookies: string[];
}

export interface Asking {
  method?: string;
  headers?: Record<string, string>;
  /** Fields of a form. */
  form?: Record<string, string>;
}

/** Whether to stop before a place. */
export type Until = (url: string) => boolean;

/** More redirects than any login takes. */
const MOST_REDIRECTS = 12;

export class Visitor {
  readonly #authority: string;
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Trusts the certificate authority in this file. */
  constructor(authority: string) {
    this.#authority = authority;
  }

  /** The cookies kept for a host. */
  cookies(host: string): Map<string, string> {
    const kept = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, kept);
    return kept;
  }

  /** One request and its answer; redirects are not followed. */
  async ask(url: string, asking: Asking = {}): Promise<Answer> {
    const place = new URL(url);
    const body = asking.form ? new URLSearchParams(asking.form).toString() : undefined;
    const kept = [...this.cookies(place.hostname)].map(([name, value]) => `${name}=${value}`);
    const own = asking.headers?.["Cookie"] === undefined ? [] : [asking.headers["Cookie"]];
    const headers: Record<string, string> = {
      Accept: "text/html,application/xhtml+xml,*/*;q=0.8",
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
      ...(body === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
      ...asking.headers,
      ...(kept.length + own.length === 0 ? {} : { Cookie: [...kept, ...own].join("; ") }),
    };
    const options = {
      method: asking.method ?? (body === undefined ? "GET" : "POST"),
      headers,
      lookup: toLoopback,
      agent: false,
    };
    const answer = await new Promise<Answer>((done, fail) => {
      const take = (from: IncomingMessage) => {
        let text = "";
        from.on("data", (data: Buffer) => (text += data.toString()));
        from.on("error", fail);
        from.on("end", () =>
          done({
            url,
            status: from.statusCode ?? 0,
            headers: from.headers,
            body: text,
            cookies: from.headers["set-cookie"] ?? [],
          }),
        );
      };
      const request =
        place.protocol === "https:"
          ? httpsRequest(place, { ...options, ca: readFileSync(this.#authority) }, take)
          : httpRequest(place, options, take);
      request.setTimeout(30_000, () => request.destroy(new Error(`${url} did not answer`)));
      request.on("error", fail);
      request.end(body);
    });
    for (const line of answer.cookies) this.#keep(place.hostname, line);
    return answer;
  }

  /** Goes where an answer leads, and on, until one leads nowhere or `until` says to stop before a place. */
  async follow(answer: Answer, until: Until = () => false): Promise<Answer> {
    let here = answer;
    for (let times = 0; times < MOST_REDIRECTS; times += 1) {
      const next = leadsTo(here);
      if (next === null || until(next)) return here;
      here = await this.ask(next);
    }
    throw new Error(`redirected ${MOST_REDIRECTS} times, the last time at ${here.url}`);
  }

  #keep(host: string, line: string): void {
    const [pair = "", ...attributes] = line.split(/; */);
    const at = pair.indexOf("=");
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const ended = attributes.some((one) => /^max-age=0$/i.test(one) || /^expires=.*1970/i.test(one));
    if (ended) this.cookies(host).delete(name);
    else this.cookies(host).set(name, value);
  }
}

/** Where a redirect leads; null if it is none. */
export function leadsTo(answer: Answer): string | null {
  const location = answer.headers.location;
  return answer.status >= 300 && answer.status < 400 && location !== undefined
    ? new URL(location, answer.url).href
    : null;
}

/** The code of a refusal, on a page or in JSON. */
export function refusal(answer: Answer): string {
  return `${answer.status} ${String(answer.headers["postern-error-code"])}`;
}
