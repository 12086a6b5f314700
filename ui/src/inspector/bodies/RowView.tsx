// One row of a reading: a line of text, a row of a comparison, a field of a table, or a node of a tree.
import type { ReactNode } from "react";
import { Icon } from "../../parts/Icon";
import styles from "./RowsView.module.css";
import type { DiffSign, TextRow } from "./reading/rows";

/** The height of a row in pixels, for each form of a reading. */
export const ROW_HEIGHTS = { lines: 19, tree: 21, fields: 24, changes: 20 } as const;
export type RowStyle = keyof typeof ROW_HEIGHTS;

const MAX_INDENT = 40;
const SIGN_LABELS: Record<DiffSign, { mark: string; word: string }> = {
  added: { mark: "+", word: "added" },
  removed: { mark: "−", word: "removed" },
  changed: { mark: "~", word: "changed" },
};

interface RowViewProps {
  id: string;
  row: TextRow | undefined;
  number: number;
  /** Digits of the largest line number. */
  digits: number;
  active: boolean;
}

type FormProps = RowViewProps & { tokens: ReactNode[] };

const FORMS: Record<RowStyle, (props: FormProps) => ReactNode> = {
  lines: Line,
  changes: Change,
  fields: Field,
  tree: Node,
};

export function RowView({ rowStyle, ...props }: RowViewProps & { rowStyle: RowStyle }) {
  const Form = FORMS[rowStyle];
  const tokens = (props.row?.tokens ?? []).map(([kind, text, hit], index) => (
    // oxlint-disable-next-line react/no-array-index-key -- tokens of a row have no other identity
    <span key={index} className={`${styles[kind] ?? ""} ${hit ? styles.hit : ""}`}>
      {text}
    </span>
  ));
  return <Form {...props} tokens={tokens} />;
}

function Line({ row, digits, tokens }: FormProps) {
  return (
    <div className={styles.line}>
      <LineNumber row={row} digits={digits} />
      <span className={styles.text}>{tokens}</span>
    </div>
  );
}

function LineNumber({ row, digits }: Pick<RowViewProps, "row" | "digits">) {
  return (
    <span className={styles.count} style={{ minWidth: `${digits}ch` }} aria-hidden="true">
      {row?.number ?? ""}
    </span>
  );
}

function Change({ row, digits, active, tokens }: FormProps) {
  const sign = row?.sign ? SIGN_LABELS[row.sign] : null;
  return (
    <div className={`${styles.line} ${row?.sign ? styles[row.sign] : ""} ${active ? styles.active : ""}`}>
      <LineNumber row={row} digits={digits} />
      <span className={styles.sign}>
        <span aria-hidden="true">{sign?.mark ?? " "}</span>
        {sign && <span className="unseen">{sign.word}</span>}
      </span>
      <span className={styles.text}>{tokens}</span>
    </div>
  );
}

function Field({ row, number, active, tokens }: FormProps) {
  const cut = row?.tokens.findIndex(([kind, text]) => kind === "mark" && text === "\t") ?? -1;
  return (
    <div className={`${styles.field} ${active ? styles.active : ""}`} role="row" aria-rowindex={number + 1}>
      <span role="rowheader" className={styles.name}>
        {tokens.slice(0, cut)}
      </span>
      <span role="cell" className={styles.value}>
        {tokens.slice(cut + 1)}
      </span>
    </div>
  );
}

function Node({ id, row, active, tokens }: FormProps) {
  const level = row?.level ?? 0;
  return (
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={level + 1}
      aria-selected={active}
      aria-expanded={row?.open ?? undefined}
      // The text has not arrived from the worker yet.
      aria-label={row === undefined ? "Loading" : undefined}
      className={`${styles.item} ${active ? styles.active : ""}`}
      style={{ paddingLeft: 10 + Math.min(level, MAX_INDENT) * 16 }}
    >
      <span className={`${styles.twist} ${row?.open ? styles.open : ""}`}>
        {row !== undefined && row.open !== null && <Icon name="chevron" size={12} />}
      </span>
      {level > MAX_INDENT && <span className={styles.mark}>{`level ${level.toLocaleString("en")} `}</span>}
      <span className={styles.text}>{tokens}</span>
    </div>
  );
}
