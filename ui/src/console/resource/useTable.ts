// The state of a table: search, order, columns and page are in the address; records come from the server.
import { useDeferredValue } from "react";
import type { Base, Page } from "../../api/management";
import { useAddressSearch } from "../address";
import { allQuery, apiQuery, listQuery, useApiQuery, useManagement } from "../management";
import { trafficQuery } from "../traffic";
import { arrange, readOrder, writeOrder, type Order } from "./arrange";
import type { Column, Kind } from "./kind";

/** How often a live view is counted, in milliseconds: more than a page of it is read for that. */
const COUNT_INTERVAL_MS = 30_000;
/** The maximum number of exported records. */
const EXPORT_LIMIT = 10_000;

export const SIZES = ["25", "50", "100"] as const;

export interface TableSource<T extends Base> {
  kind: Kind<T>;
  /** Restricts the records, such as to the rules of one policy; all records are then read. */
  only?: ((record: T) => boolean) | undefined;
  /** A text in all of those records, such as an id, that the server searches for. */
  searchText?: string | undefined;
  /** Parameters of the list that restrict it, where it has some. */
  filter?: Readonly<Record<string, string>> | undefined;
  /** Prefix of the parameters in the address, where one page has several tables. */
  prefix?: string | undefined;
}

export type TableState<T extends Base = Base> = ReturnType<typeof useTable<T>>;

export function useTable<T extends Base>({
  kind,
  only,
  searchText = "",
  filter = {},
  prefix = "",
}: TableSource<T>) {
  const [search, change] = useAddressSearch();
  const at = (name: string) => search[prefix + name] ?? "";
  const set = (changes: Record<string, string>) =>
    change(
      Object.fromEntries(Object.entries(changes).map(([name, value]) => [prefix + name, value || undefined])),
    );

  const words = useDeferredValue(at("q"));
  const order = readOrder(at("sort"));
  const size = Number(SIZES.find((one) => one === at("limit")) ?? SIZES[1]);
  const trail = at("after") === "" ? [] : at("after").split(",");
  const number = Math.max(0, Number(at("page")) || 0);
  // Live views cannot be searched on the server, and are small.
  const readsAll = only !== undefined || order !== null || (kind.live !== undefined && words !== "");
  const searched = kind.live ? "" : [searchText, words].join(" ").trim();
  const query = useRecords(kind, { readsAll, size, before: trail.at(-1), search: searched, filter });

  const api = useManagement();
  const traffic = useApiQuery({ ...trafficQuery, enabled: kind.traffic === true }).data;

  const read = query.data;
  const arranged = readsAll
    ? arrange(read?.records.filter((one) => only?.(one) ?? true) ?? [], kind.columns, words, order, traffic)
    : [];
  const from = number * size;
  const rows = readsAll ? arranged.slice(from, from + size) : (read?.records ?? []);
  const isFirst = readsAll ? number === 0 : trail.length === 0;
  const isLast = readsAll ? from + size >= arranged.length : read?.next == null;
  const columns = shownColumns(kind, at("columns"));
  const counted = useCount(kind, {
    search: searched,
    filter,
    isNeeded: !readsAll && read !== undefined && (read.next !== null || trail.length > 0),
  });
  const total = readsAll
    ? { count: arranged.length, isLimited: read?.next != null }
    : (counted ?? (isFirst && isLast ? { count: rows.length, isLimited: false } : null));
  return {
    query,
    typed: at("q"),
    words,
    order,
    columns,
    rows,
    size: String(size),
    isFirst,
    isLast,
    isEmpty: read !== undefined && rows.length === 0 && words === "" && isFirst && !query.isPlaceholderData,
    /** The number of all records; null until it is known. If it is limited, there are more. */
    total: read ? total : null,
    traffic,
    /** All records that the search finds, as they are arranged. */
    readAll: async () => {
      const { records, next } = await api.all(kind, searched, filter, EXPORT_LIMIT);
      const found = readsAll
        ? arrange(
            records.filter((one) => only?.(one) ?? true),
            kind.columns,
            words,
            order,
            traffic,
          )
        : records;
      return { records: found, isComplete: next === null };
    },
    setWords: (q: string) => set({ q, page: "", after: "" }),
    setSize: (limit: string) => set({ limit, page: "", after: "" }),
    setOrder: (column: string, direction: Order["direction"] | null) =>
      set({ sort: direction === null ? "" : writeOrder(column, direction), page: "", after: "" }),
    setColumn: (name: string, isShown: boolean) => {
      const names = kind.columns
        .filter((one) => (one.name === name ? isShown : columns.includes(one)))
        .map((one) => one.name);
      if (names.length > 0) set({ columns: names.join(",") });
    },
    goBack: () => set(readsAll ? { page: String(number - 1) } : { after: trail.slice(0, -1).join(",") }),
    goOn: () =>
      set(readsAll ? { page: String(number + 1) } : { after: [...trail, read?.next ?? ""].join(",") }),
  };
}

/** Counts all records of a list of which only a page is read. */
function useCount<T extends Base>(
  kind: Kind<T>,
  { search, filter, isNeeded }: Pick<RecordsQuery, "search" | "filter"> & { isNeeded: boolean },
): { count: number; isLimited: boolean } | undefined {
  const every = kind.live ? COUNT_INTERVAL_MS : undefined;
  const query = apiQuery(
    [kind.path, "count", search, filter],
    async (api) => {
      const { records, next }: Page<T> = await api.all(kind, search, filter);
      return { count: records.length, isLimited: next !== null };
    },
    { every, enabled: isNeeded },
  );
  const { data } = useApiQuery(query);
  return isNeeded ? data : undefined;
}

interface RecordsQuery {
  readsAll: boolean;
  size: number;
  before: string | undefined;
  search: string;
  filter: Readonly<Record<string, string>>;
}

/** One page of records, or all of them. */
function useRecords<T extends Base>(kind: Kind<T>, { readsAll, size, before, search, filter }: RecordsQuery) {
  const every = kind.live?.every ?? kind.refresh;
  const asked = { limit: size, filter, ...(before ? { before } : {}), ...(search ? { search } : {}) };
  const page = useApiQuery({ ...listQuery(kind, asked, every), enabled: !readsAll });
  const all = useApiQuery(allQuery(kind, { search, filter, every, enabled: readsAll }));
  return readsAll ? all : page;
}

function shownColumns<T extends Base>(kind: Kind<T>, chosen: string): readonly Column<T>[] {
  const names = chosen.split(",");
  const some = kind.columns.filter(({ name }) => names.includes(name));
  return some.length > 0 ? some : kind.columns.filter(({ hidden }) => !hidden);
}
