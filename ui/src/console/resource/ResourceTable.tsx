// A table of records: the server pages and searches; when sorted, all records are read, up to a limit.
import { useDeferredValue, useState, type ReactNode } from "react";
import { ALL_LIMIT, type Base } from "../../api/management";
import { Button } from "../../parts/Button";
import { CheckMenu } from "../../parts/CheckMenu";
import { Icon } from "../../parts/Icon";
import { useAddressSearch } from "../address";
import { allQuery, listQuery, useApiQuery } from "../management";
import { PlaceLink } from "../PlaceLink";
import { Failure } from "../shell/PageStates";
import { inside, type Column, type Kind } from "./kind";
import styles from "./ResourceTable.module.css";
import { arrange, readOrder, writeOrder } from "./arrange";

const SIZES = ["25", "50", "100"] as const;

interface ResourceTableProps<T extends Base> {
  kind: Kind<T>;
  /** Restricts the records, such as to the rules of one policy; all records are then read. */
  only?: (record: T) => boolean;
  /** A text in all of those records, such as an id, that the server searches for. */
  searchText?: string;
  /** Prefix of the parameters in the address, where one page has several tables. */
  prefix?: string;
  /** Rendered at the end of every row. */
  renderActions?: (record: T) => ReactNode;
  /** Shown instead of the table when there are no records. */
  empty: ReactNode;
  /** The accessible name of a row. */
  title?: (record: T) => string;
}

export function ResourceTable<T extends Base>({
  kind,
  only,
  searchText = "",
  prefix = "",
  renderActions,
  empty,
  title,
}: ResourceTableProps<T>) {
  const [search, change] = useAddressSearch();
  const at = (name: string) => search[prefix + name] ?? "";
  const set = (changes: Record<string, string>) =>
    change(
      Object.fromEntries(Object.entries(changes).map(([name, value]) => [prefix + name, value || undefined])),
    );

  const words = useDeferredValue(at("q"));
  const order = readOrder(at("sort"));
  const size = SIZES.find((one) => one === at("limit")) ?? SIZES[1];
  const trail = at("after") === "" ? [] : at("after").split(",");
  const every = kind.live?.every;
  // Live views cannot be searched on the server, and are small.
  const readsAll = only !== undefined || order !== null || (kind.live !== undefined && words !== "");
  const searched = kind.live ? "" : [searchText, words].join(" ").trim();

  const before = trail.at(-1);
  const page = useApiQuery({
    ...listQuery(
      kind,
      { limit: Number(size), ...(before ? { before } : {}), ...(searched ? { search: searched } : {}) },
      every,
    ),
    enabled: !readsAll,
  });
  const all = useApiQuery(
    allQuery(kind, { search: searched, ...(every ? { every } : {}), enabled: readsAll }),
  );
  const query = readsAll ? all : page;

  const shown = useColumns(kind, at("columns"));
  const read = query.data;
  const arranged = readsAll
    ? arrange(read?.records.filter((one) => only?.(one) ?? true) ?? [], kind.columns, words, order)
    : [];
  const number = Math.max(0, Number(at("page")) || 0);
  const from = number * Number(size);
  const rows = readsAll ? arranged.slice(from, from + Number(size)) : (read?.records ?? []);
  const more = readsAll ? from + Number(size) < arranged.length : read?.next != null;
  const first = readsAll ? number === 0 : trail.length === 0;

  if (query.isError && !read)
    return (
      <Failure
        thrown={query.error}
        title={`${kind.plural} could not be loaded`}
        retry={() => void query.refetch()}
      />
    );
  const nothing =
    read !== undefined && rows.length === 0 && words === "" && first && !query.isPlaceholderData;
  if (nothing) return empty;
  return (
    <div className={styles.frame}>
      <div className={styles.tools}>
        <SearchBox
          key={prefix}
          value={at("q")}
          label={`Search ${inside(kind.plural)}`}
          onChange={(q) => set({ q, page: "", after: "" })}
        />
        <span className={styles.space} />
        <CheckMenu
          trigger={<Button icon="list">Columns</Button>}
          title="Columns"
          items={kind.columns.map(({ name, label }) => ({
            value: name,
            label,
            checked: shown.some((one) => one.name === name),
          }))}
          onChange={(name, checked) => {
            const names = kind.columns
              .filter((one) => (one.name === name ? checked : shown.includes(one)))
              .map((one) => one.name);
            if (names.length > 0) set({ columns: names.join(",") });
          }}
        />
      </div>
      {query.isError && <Failure thrown={query.error} title="This list is not up to date" />}
      <div className={styles.scroll} aria-busy={query.isFetching}>
        <table className={styles.table}>
          <caption className="unseen">{kind.plural}</caption>
          <thead>
            <tr>
              {shown.map((column) => (
                <Heading
                  key={column.name}
                  column={column}
                  order={order?.column === column.name ? order.direction : null}
                  onOrder={(direction) =>
                    set({
                      sort: direction === null ? "" : writeOrder(column.name, direction),
                      page: "",
                      after: "",
                    })
                  }
                />
              ))}
              {renderActions && (
                <th scope="col" className={styles.actions}>
                  <span className="unseen">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((record) => (
              <tr key={record.id} className={styles.row} aria-label={title?.(record)}>
                {shown.map((column, index) => (
                  <td key={column.name} className={cellClass(column)}>
                    {index === 0 ? (
                      <PlaceLink to={`${kind.path}/${record.id}`} className={styles.open}>
                        {column.cell?.(record) ?? (column.text(record) || kind.title(record))}
                      </PlaceLink>
                    ) : (
                      <Cell column={column} record={record} />
                    )}
                  </td>
                ))}
                {renderActions && <td className={styles.actions}>{renderActions(record)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
        {read === undefined && (
          <p className={styles.message} role="status">
            Loading {inside(kind.plural)}…
          </p>
        )}
        {read !== undefined && rows.length === 0 && (
          <p className={styles.message} role="status">
            {words === "" ? "Nothing on this page." : `Nothing matches “${words}”.`}{" "}
            <Button weight="quiet" onClick={() => set({ q: "", page: "", after: "" })}>
              Clear the search
            </Button>
          </p>
        )}
      </div>
      <footer className={styles.foot}>
        <p role="status">
          {readsAll && read
            ? `${arranged.length} ${arranged.length === 1 ? kind.singular : inside(kind.plural)}${words ? " found" : ""}`
            : `${rows.length} on this page, newest first`}
          {readsAll && read?.next != null && ` among the newest ${ALL_LIMIT.toLocaleString("en")}`}
        </p>
        <label className={styles.size}>
          Rows
          <select value={size} onChange={(event) => set({ limit: event.target.value, page: "", after: "" })}>
            {SIZES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <Button
          icon="back"
          aria-disabled={first || undefined}
          onClick={() =>
            !first && set(readsAll ? { page: String(number - 1) } : { after: trail.slice(0, -1).join(",") })
          }
        >
          Newer
        </Button>
        <Button
          aria-disabled={!more || undefined}
          onClick={() =>
            more &&
            set(readsAll ? { page: String(number + 1) } : { after: [...trail, read?.next ?? ""].join(",") })
          }
        >
          Older
          <Icon name="arrow" />
        </Button>
      </footer>
    </div>
  );
}

function useColumns(kind: Kind, chosen: string): readonly Column[] {
  const names = chosen.split(",");
  const some = kind.columns.filter(({ name }) => names.includes(name));
  return some.length > 0 ? some : kind.columns.filter(({ hidden }) => !hidden);
}

function cellClass({ mono, number }: Column): string {
  return [styles.cell, mono ? styles.mono : "", number ? styles.number : ""].join(" ");
}

function Cell({ column, record }: { column: Column; record: Base }) {
  if (column.cell) return column.cell(record);
  const text = column.text(record);
  return text === "" ? <span className={styles.none}>–</span> : text;
}

type Direction = "ascending" | "descending";

function Heading({
  column,
  order,
  onOrder,
}: {
  column: Column;
  order: Direction | null;
  onOrder(direction: Direction | null): void;
}) {
  const next = order === null ? "ascending" : order === "ascending" ? "descending" : null;
  return (
    <th scope="col" aria-sort={order ?? "none"} className={column.number ? styles.number : ""}>
      <button type="button" className={styles.sort} data-order={order} onClick={() => onOrder(next)}>
        {column.label}
        <Icon name="chevron" size={12} />
      </button>
    </th>
  );
}

/** Follows the typing by itself; the address is updated later. */
function SearchBox({
  value,
  label,
  onChange,
}: {
  value: string;
  label: string;
  onChange(value: string): void;
}) {
  const [typed, setTyped] = useState({ text: value, told: value });
  // The address was changed elsewhere, such as by going back.
  if (value !== typed.told) setTyped({ text: value, told: value });
  return (
    <span className={styles.search}>
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed.text}
        spellCheck={false}
        onChange={(event) => {
          setTyped({ text: event.target.value, told: event.target.value });
          onChange(event.target.value);
        }}
      />
    </span>
  );
}
