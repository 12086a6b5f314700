// The management API as functions. This file knows the format of lists and errors; the host sends the requests.
import type { Management } from "../host/host";
import { ApiError, errorFromResponse } from "./problem";

/** Members of every record. Live views lack the texts. */
export interface Base {
  id: string;
  uri: string;
  created_at?: string;
  description?: string;
  metadata?: string;
}

export interface Page<T> {
  records: T[];
  /** Cursor of the next page, passed as `before`; null after the last page. */
  next: string | null;
}

export interface ListQuery {
  limit?: number;
  before?: string;
  /** Words that must all occur in a record. Live views cannot be searched. */
  search?: string;
}

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

export type ManagementApi = ReturnType<typeof managementApi>;

/** The API's maximum page size. */
export const PAGE_LIMIT = 100;
/** Maximum number of records read from a list; the page says when there are more. */
export const ALL_LIMIT = 1_000;

export function managementApi(management: Management) {
  async function call(method: Method, path: string, body?: unknown): Promise<string> {
    const response = await management.request(method, path, body === undefined ? null : JSON.stringify(body));
    if (response.status >= 200 && response.status < 300) return response.body;
    // A refused key has to be entered again.
    if (response.status === 401) management.key?.forget("refused");
    throw errorFromResponse(response.status, response.body, "server");
  }

  async function send<T>(method: Method, path: string, body?: unknown): Promise<T> {
    const response = await call(method, path, body);
    if (response === "") return null as T;
    try {
      return JSON.parse(response) as T;
    } catch {
      throw new ApiError("ANSWER_UNREADABLE", "The server's response could not be parsed.", 502);
    }
  }

  async function list<T extends Base>(
    path: string,
    member: string,
    { limit = PAGE_LIMIT, before, search }: ListQuery = {},
  ): Promise<Page<T>> {
    const query = new URLSearchParams({
      limit: String(limit),
      ...(before ? { before_id: before } : {}),
      ...(search ? { search } : {}),
    });
    const response = await send<Record<string, unknown>>("GET", `${path}?${query}`);
    const next = response["next_page_uri"];
    return {
      records: (response[member] ?? []) as T[],
      next: typeof next === "string" ? new URL(next).searchParams.get("before_id") : null,
    };
  }

  /** All records up to the limit, newest first; `next` is null if the list is complete. */
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
