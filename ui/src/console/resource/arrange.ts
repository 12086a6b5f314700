// Searches and sorts records by the texts of their columns.
import type { Base } from "../../api/management";
import { containsWords, searchWords } from "../../model/words";
import type { Column, TrafficById } from "./kind";

export interface Order {
  column: string;
  direction: "ascending" | "descending";
}

/** `name` or `-name`, as in the page's address. */
export function readOrder(text: string): Order | null {
  if (text === "") return null;
  return text.startsWith("-")
    ? { column: text.slice(1), direction: "descending" }
    : { column: text, direction: "ascending" };
}

export function writeOrder(column: string, direction: Order["direction"]): string {
  return direction === "descending" ? `-${column}` : column;
}

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** All words must occur somewhere in a record: in a column, visible or not, in its id or its metadata. */
export function arrange<T extends Base>(
  records: readonly T[],
  columns: readonly Column<T>[],
  words: string,
  order: Order | null,
  traffic?: TrafficById,
): T[] {
  const wanted = searchWords(words);
  const found = records.filter((record) => {
    if (wanted.length === 0) return true;
    const texts = [
      record.id,
      record.metadata ?? "",
      ...columns.map((column) => column.text(record, traffic)),
    ];
    return containsWords(texts.join("\n"), wanted);
  });
  const column = columns.find(({ name }) => name === order?.column);
  if (!column || !order) return found;
  const sign = order.direction === "ascending" ? 1 : -1;
  return found.toSorted((one, other) => sign * compare(column, one, other, traffic));
}

function compare<T extends Base>(column: Column<T>, one: T, other: T, traffic: TrafficById): number {
  if (column.number) return column.number(one, traffic) - column.number(other, traffic);
  return collator.compare(column.text(one, traffic), column.text(other, traffic));
}
