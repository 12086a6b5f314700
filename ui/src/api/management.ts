// The management API as functions. It knows shapes of lists and errors; the host carries the requests.
import type { Management } from "../host/host";
import { ApiError, fromAnswer } from "./problem";

/** What every record has. Live views lack the texts. */
export interface Base {
  id: string;
  uri: string;
  created_at?: string;
  description?: string;
  metadata?: string;
}

export interface Page<T> {
  records: T[];
  /** Where the next page begins: the id to give as `before`; null after the last. */
  next: string | null;
}

export interface Asked {
  limit?: number;
  before?: string;
  /** Words that must all stand in a record. Live views cannot be searched. */
  search?: string;
}

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

export type ManagementApi = ReturnType<typeof managementApi>;

/** The largest page the API gives. */
export const PAGE_LIMIT = 100;
/** What is read of a list where all of it is wanted; beyond that the reader is told. */
export const ALL_LIMIT = 1_000;

export function managementApi(management: Management) {
  async function call(method: Method, path: string, body?: unknown): Promise<string> {
    const answer = await management.request(method, path, body === undefined ? null : JSON.stringify(body));
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    // A key that counts no longer is asked for again.
    if (answer.status === 401) management.key?.forget("refused");
    throw fromAnswer(answer.status, answer.body, "server");
  }

  async function send<T>(method: Method, path: string, body?: unknown): Promise<T> {
    const answer = await call(method, path, body);
    if (answer === "") return null as T;
    try {
      return JSON.parse(answer) as T;
    } catch {
      throw new ApiError("ANSWER_UNREADABLE", "The server's answer could not be read.", 502);
    }
  }

  async function list<T extends Base>(path: string, member: string, asked: Asked = {}): Promise<Page<T>> {
    const query = new URLSearchParams({
      limit: String(asked.limit ?? PAGE_LIMIT),
      ...(asked.before ? { before_id: asked.before } : {}),
      ...(asked.search ? { search: asked.search } : {}),
    });
    const answer = await send<Record<string, unknown>>("GET", `${path}?${query}`);
    const next = answer["next_page_uri"];
    return {
      records: (answer[member] ?? []) as T[],
      next: typeof next === "string" ? new URL(next).searchParams.get("before_id") : null,
    };
  }

  /** All records as far as that is sensible, newest first; `next` is null if these are all. */
  async function all<T extends Base>(path: string, member: string, search = ""): Promise<Page<T>> {
    const records: T[] = [];
    let next: string | null = null;
    do {
      const page: Page<T> = await list<T>(path, member, {
        search,
        ...(next === null ? {} : { before: next }),
      });
      records.push(...page.records);
      next = page.next;
    } while (next !== null && records.length < ALL_LIMIT);
    return { records, next };
  }

  return { send, list, all };
}
