// A table of records: the server pages and searches; when sorted, all records are read, up to a limit.
import { useState, type ReactNode } from "react";
import { ALL_LIMIT, type Base } from "../../api/management";
import { count, counted } from "../../model/format";
import { Button } from "../../parts/Button";
import { CheckMenu } from "../../parts/CheckMenu";
import { Icon } from "../../parts/Icon";
import { Select } from "../../parts/Select";
import { PlaceLink } from "../PlaceLink";
import { Failure } from "../shell/PageStates";
import type { Order } from "./arrange";
import { inside, type Column, type Kind, type TrafficById } from "./kind";
import { ExportButton, ListViews } from "./ListTools";
import styles from "./ResourceTable.module.css";
import { SelectBox, SelectionBar } from "./SelectionBar";
import { SIZES, useTable, type TableSource, type TableState } from "./useTable";
import { useRowSelection, type RowSelection } from "./useRowSelection";

interface ResourceTableProps<T extends Base> extends TableSource<T>, RowOptions<T> {
  /** Shown instead of the table when there are no records. */
  empty: ReactNode;
  /** The table is its page: views are saved, rows are selected, and records are exported. */
  isPage?: boolean;
}

interface RowOptions<T extends Base> {
  /** Rendered at the end of every row. */
  renderActions?: (record: T) => ReactNode;
  /** The accessible name of a row. */
  title?: (record: T) => string;
}

export function ResourceTable<T extends Base>({ empty, isPage = false, ...props }: ResourceTableProps<T>) {
  const { kind, prefix } = props;
  const table = useTable(props);
  const selection = useRowSelection<T>();
  const isDeletable = isPage && (!kind.live || kind.live.removable === true);
  const { query } = table;
  if (query.isError && !query.data)
    return (
      <Failure
        thrown={query.error}
        title={`${kind.plural} could not be loaded`}
        retry={() => void query.refetch()}
      />
    );
  if (table.isEmpty) return empty;
  return (
    <div className={styles.frame}>
      <div className={styles.tools}>
        <SearchBox
          key={prefix}
          value={table.typed}
          label={`Search ${inside(kind.plural)}`}
          onChange={table.setWords}
        />
        <span className={styles.space} />
        {isPage && <ListViews kind={kind} />}
        {isPage && <ExportButton kind={kind} table={table} />}
        <CheckMenu
          trigger={<Button icon="list">Columns</Button>}
          title="Columns"
          items={kind.columns.map(({ name, label }) => ({
            value: name,
            label,
            checked: table.columns.some((one) => one.name === name),
          }))}
          onChange={table.setColumn}
        />
      </div>
      {isDeletable && selection.records.length > 0 && <SelectionBar kind={kind} selection={selection} />}
      {query.isError && <Failure thrown={query.error} title="This list is not up to date" />}
      <div className={styles.scroll} aria-busy={query.isFetching}>
        <Rows {...props} table={table} selection={isDeletable ? selection : null} />
        <Message kind={kind} table={table} />
      </div>
      <Foot kind={kind} table={table} />
    </div>
  );
}

interface RowsProps<T extends Base> extends RowOptions<T> {
  kind: Kind<T>;
  table: TableState<T>;
  /** Null where rows cannot be selected. */
  selection: RowSelection<T> | null;
}

function Rows<T extends Base>({ kind, table, selection, renderActions, title }: RowsProps<T>) {
  const { columns, rows, order } = table;
  return (
    <table className={styles.table}>
      <caption className="unseen">{kind.plural}</caption>
      <thead>
        <tr>
          {selection && (
            <th scope="col" className={styles.select}>
              <SelectBox
                label="Select all rows of this page"
                checked={rows.length > 0 && rows.every(selection.has)}
                disabled={rows.length === 0}
                onChange={(isSelected) => selection.set(rows, isSelected)}
              />
            </th>
          )}
          {columns.map((column) => (
            <Heading
              key={column.name}
              label={column.label}
              isNumber={column.number !== undefined}
              order={order?.column === column.name ? order.direction : null}
              onOrder={(direction) => table.setOrder(column.name, direction)}
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
          <tr
            key={record.id}
            className={styles.row}
            aria-label={title?.(record)}
            data-selected={selection?.has(record)}
          >
            {selection && (
              <td className={styles.select}>
                <SelectBox
                  label={`Select ${kind.title(record)}`}
                  checked={selection.has(record)}
                  onChange={(isSelected) => selection.set([record], isSelected)}
                />
              </td>
            )}
            {columns.map((column, index) => (
              <td key={column.name} className={cellClass(column)}>
                {index === 0 ? (
                  <PlaceLink to={`${kind.path}/${record.id}`} className={styles.open}>
                    {column.cell?.(record, table.traffic) ??
                      (column.text(record, table.traffic) || kind.title(record))}
                  </PlaceLink>
                ) : (
                  <Cell column={column} record={record} traffic={table.traffic} />
                )}
              </td>
            ))}
            {renderActions && <td className={styles.actions}>{renderActions(record)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What is said where there are no rows. */
function Message({ kind, table }: { kind: Kind; table: TableState }) {
  if (table.query.data === undefined)
    return (
      <p className={styles.message} role="status">
        Loading {inside(kind.plural)}…
      </p>
    );
  if (table.rows.length > 0) return null;
  return (
    <p className={styles.message} role="status">
      {table.words === "" ? "Nothing on this page." : `Nothing matches “${table.words}”.`}{" "}
      <Button weight="quiet" onClick={() => table.setWords("")}>
        Clear the search
      </Button>
    </p>
  );
}

function Foot({ kind, table }: { kind: Kind; table: TableState }) {
  const { total, rows, words, isFirst, isLast } = table;
  return (
    <footer className={styles.foot}>
      <p role="status">
        {total === null
          ? `${rows.length} on this page, newest first`
          : `${totalText(kind, total)}${words ? " found" : ""}`}
        {total?.isLimited && table.order !== null && `, sorted among the newest ${count(ALL_LIMIT)}`}
      </p>
      <span className={styles.size}>
        <span aria-hidden="true">Rows</span>
        <Select
          label="Rows"
          value={table.size}
          options={SIZES.map((size) => ({ value: size, label: size }))}
          onChange={table.setSize}
        />
      </span>
      <Button icon="back" aria-disabled={isFirst || undefined} onClick={() => !isFirst && table.goBack()}>
        Newer
      </Button>
      <Button aria-disabled={isLast || undefined} onClick={() => !isLast && table.goOn()}>
        Older
        <Icon name="arrow" />
      </Button>
    </footer>
  );
}

function totalText({ singular, plural }: Kind, total: NonNullable<TableState["total"]>): string {
  if (total.isLimited) return `More than ${count(total.count)} ${inside(plural)}`;
  return counted(total.count, singular, inside(plural));
}

function cellClass<T extends Base>({ mono, number }: Column<T>): string {
  return [styles.cell, mono ? styles.mono : "", number ? styles.number : ""].join(" ");
}

interface CellProps<T extends Base> {
  column: Column<T>;
  record: T;
  traffic: TrafficById;
}

function Cell<T extends Base>({ column, record, traffic }: CellProps<T>) {
  if (column.cell) return column.cell(record, traffic);
  const text = column.text(record, traffic);
  return text === "" ? <span className={styles.none}>–</span> : text;
}

type Direction = Order["direction"];

interface HeadingProps {
  label: string;
  isNumber: boolean;
  order: Direction | null;
  onOrder(direction: Direction | null): void;
}

function Heading({ label, isNumber, order, onOrder }: HeadingProps) {
  const next = order === null ? "ascending" : order === "ascending" ? "descending" : null;
  return (
    <th scope="col" aria-sort={order ?? "none"} className={isNumber ? styles.number : ""}>
      <button type="button" className={styles.sort} data-order={order} onClick={() => onOrder(next)}>
        {label}
        <Icon name="chevron" size={12} />
      </button>
    </th>
  );
}

interface SearchBoxProps {
  value: string;
  label: string;
  onChange(value: string): void;
}

/** Follows the typing by itself; the address is updated later. */
function SearchBox({ value, label, onChange }: SearchBoxProps) {
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
