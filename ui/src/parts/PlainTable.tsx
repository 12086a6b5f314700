// A table of facts in a frame, which may be wider than its place.
import type { ReactNode } from "react";
import styles from "./PlainTable.module.css";

interface PlainTableProps {
  label: string;
  columns: readonly string[];
  /** What a last column with a button in each row is called; it is not shown. */
  actions?: string;
  /** The rows. */
  children: ReactNode;
}

export function PlainTable({ label, columns, actions, children }: PlainTableProps) {
  return (
    <div className={styles.scroll} role="region" aria-label={label} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
            {actions !== undefined && (
              <th scope="col">
                <span className="unseen">{actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
