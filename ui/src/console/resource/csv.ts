// Records as a table of comma-separated values (RFC 4180).
import type { Base } from "../../api/management";
import type { Column, TrafficById } from "./kind";

/** The columns with their labels, and the ids, by which programs find the records again. */
export function csvOf<T extends Base>(
  columns: readonly Column<T>[],
  records: readonly T[],
  traffic: TrafficById,
): string {
  const shown = columns.filter(({ name }) => name !== "id");
  const rows = records.map((record) => [
    record.id,
    ...shown.map((column) =>
      column.number ? column.text(record, traffic) : safe(column.text(record, traffic)),
    ),
  ]);
  return [["ID", ...shown.map(({ label }) => label)], ...rows]
    .map((row) => row.map(quoted).join(","))
    .join("\r\n")
    .concat("\r\n");
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A spreadsheet would run what begins with one of these as a formula. */
function safe(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
