// The management API as functions. This file knows the format of lists and errors; the host sends the requests.
import type { Management } from "../host/host";
import { COLLECTIONS, type paths } from "./generated";
import { errorFromResponse } from "./problem";
import { parseResponse, typedRequest, type Method, type Result } from "./request";

/** The path of a collection, such as `/ip_policies`. */
export type CollectionPath = keyof typeof COLLECTIONS;

/** Members of every record. Live views lack the texts. */
export interface Base {
  id: string;
  uri: string;
  created_at?: string;
  description?: string;
  metadata?: string;
}

type Element<T> = T extends readonly (infer E)[] ? E : never;

/** The record type of a collection. */
export type RecordOf<P extends CollectionPath> = Base &
  Element<Result<paths, P, "GET">[(typeof COLLECTIONS)[P]["member"] & keyof Result<paths, P, "GET">]>;

/** A collection with the type of its records. */
export interface Collection<T extends Base = Base> {
  readonly path: CollectionPath;
  /** Carries the type only; never set. */
  readonly record?: T;
}

export function collection<P extends CollectionPath>(path: P): Collection<RecordOf<P>> {
  return { path };
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
  /** Further parameters that restrict the list, where it has some. */
  filter?: Readonly<Record<string, string>>;
}

export type ManagementApi = ReturnType<typeof managementApi>;

/** The API's maximum page size. */
export const PAGE_LIMIT = 100;
/** Maximum number of records read from a list; the page says when there are more. */
export const ALL_LIMIT = 1_000;

export function managementApi(management: Management) {
  async function call(method: Method, path: string, body?: unknown): Promise<string> {
    const response = await management.request(method, path, body === undefined ? null : JSON.stringify(body));
    if (response.status >= 200 && response.status < 300) return response.body;
    if (response.status === 401) management.signIn?.ended();
    throw errorFromResponse(response.status, response.body, "server");
  }

  /** Sends a request to a concrete path; null for a response without a body. */
  async function send(method: Method, path: string, body?: unknown): Promise<unknown> {
    return parseResponse(await call(method, path, body), "server");
  }

  const request = typedRequest<paths>(send);

  async function list<T extends Base>(
    { path }: Collection<T>,
    { limit = PAGE_LIMIT, before, search, filter }: ListQuery = {},
  ): Promise<Page<T>> {
    const query = new URLSearchParams({
      limit: String(limit),
      ...(before ? { before_id: before } : {}),
      ...(search ? { search } : {}),
      ...filter,
    });
    const page = (await send("GET", `${path}?${query}`)) as Record<string, unknown>;
    const next = page["next_page_uri"];
    return {
      records: (page[COLLECTIONS[path].member] ?? []) as T[],
      next: typeof next === "string" ? new URL(next).searchParams.get("before_id") : null,
    };
  }

  /** All records up to the limit, newest first; `next` is null if the list is complete. */
  async function all<T extends Base>(
    from: Collection<T>,
    search = "",
    filter: Readonly<Record<string, string>> = {},
    limit = ALL_LIMIT,
  ): Promise<Page<T>> {
    const records: T[] = [];
    let next: string | null = null;
    do {
      const page: Page<T> = await list(from, { search, filter, ...(next === null ? {} : { before: next }) });
      records.push(...page.records);
      next = page.next;
    } while (next !== null && records.length < limit);
    return { records, next };
  }

  async function one<T extends Base>({ path }: Collection<T>, id: string): Promise<T> {
    return (await send("GET", `${path}/${encodeURIComponent(id)}`)) as T;
  }

  return { send, request, list, all, one };
}
