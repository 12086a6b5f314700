// JSON as a tree that opens and closes, with the keys of a tree: arrows move, right opens, left closes.
import { useMemo, useState, type KeyboardEvent } from "react";
import type { JsonNode } from "../model/json";
import { Icon } from "./Icon";
import styles from "./JsonTree.module.css";

interface Row {
  path: string;
  level: number;
  name: string | null;
  node: JsonNode;
  children: number;
}

/** Rows beyond this are reached by closing others; a tree of more is no longer a help. */
const ROW_LIMIT = 5000;
const OPEN_AT_FIRST = 2;

export function JsonTree({ root, label }: { root: JsonNode; label: string }) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [focus, setFocus] = useState("$");
  const isOpen = (row: { path: string; level: number }) =>
    toggled.has(row.path) !== row.level < OPEN_AT_FIRST;
  const rows = useMemo(() => visibleRows(root, toggled), [root, toggled]);
  const toggle = (path: string) => {
    const next = new Set(toggled);
    if (!next.delete(path)) next.add(path);
    setToggled(next);
  };
  const move = (event: KeyboardEvent<HTMLElement>, path: string | undefined) => {
    event.preventDefault();
    event.stopPropagation();
    if (path === undefined) return;
    setFocus(path);
    event.currentTarget.parentElement
      ?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)
      ?.focus();
  };
  const onKey = (event: KeyboardEvent<HTMLElement>, row: Row, at: number) => {
    const open = row.children > 0 && isOpen(row);
    if (event.key === "ArrowDown") move(event, rows[at + 1]?.path);
    else if (event.key === "ArrowUp") move(event, rows[at - 1]?.path);
    else if (event.key === "Home") move(event, rows[0]?.path);
    else if (event.key === "End") move(event, rows.at(-1)?.path);
    else if (event.key === "ArrowRight" && row.children > 0 && !open) toggle(row.path);
    else if (event.key === "ArrowRight" && open) move(event, rows[at + 1]?.path);
    else if (event.key === "ArrowLeft" && open) toggle(row.path);
    else if (event.key === "ArrowLeft")
      move(event, row.path.slice(0, row.path.lastIndexOf("/")) || undefined);
    else if ((event.key === "Enter" || event.key === " ") && row.children > 0) {
      event.preventDefault();
      toggle(row.path);
    }
  };
  const tabbable = rows.some((row) => row.path === focus) ? focus : "$";
  return (
    <div className={styles.tree} role="tree" aria-label={label}>
      {rows.map((row, at) => (
        <div
          key={row.path}
          role="treeitem"
          aria-level={row.level + 1}
          aria-expanded={row.children > 0 ? isOpen(row) : undefined}
          aria-selected={row.path === focus}
          tabIndex={row.path === tabbable ? 0 : -1}
          data-path={row.path}
          className={styles.row}
          style={{ paddingLeft: 10 + row.level * 16 }}
          onFocus={() => setFocus(row.path)}
          onClick={() => row.children > 0 && toggle(row.path)}
          onKeyDown={(event) => onKey(event, row, at)}
        >
          <span className={`${styles.twist} ${isOpen(row) ? styles.open : ""}`}>
            {row.children > 0 && <Icon name="chevron" size={12} />}
          </span>
          {row.name !== null && <span className={styles.key}>{row.name}</span>}
          {row.name !== null && <span className={styles.mark}>:</span>}
          <Value node={row.node} count={row.children} />
        </div>
      ))}
      {rows.length >= ROW_LIMIT && (
        <p className={styles.limit}>
          More than {ROW_LIMIT} rows. Close some to see the rest, or use the pretty view.
        </p>
      )}
    </div>
  );
}

function Value({ node, count }: { node: JsonNode; count: number }) {
  if (node.kind === "object")
    return <span className={styles.mark}>{count === 0 ? "{}" : `{ ${count} }`}</span>;
  if (node.kind === "array")
    return <span className={styles.mark}>{count === 0 ? "[]" : `[ ${count} ]`}</span>;
  return (
    <span className={styles[node.kind]}>
      {node.text.length > 2000 ? `${node.text.slice(0, 2000)}…` : node.text}
    </span>
  );
}

function visibleRows(root: JsonNode, toggled: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  const steps: Omit<Row, "children">[] = [{ path: "$", level: 0, name: null, node: root }];
  for (let step = steps.pop(); step && rows.length < ROW_LIMIT; step = steps.pop()) {
    const { node, path, level } = step;
    const children: { name: string; value: JsonNode }[] =
      node.kind === "object"
        ? node.members.map(({ key, value }) => ({ name: key, value }))
        : node.kind === "array"
          ? node.items.map((value, index) => ({ name: String(index), value }))
          : [];
    rows.push({ ...step, children: children.length });
    if (toggled.has(path) === level < OPEN_AT_FIRST) continue;
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child)
        steps.push({ path: `${path}/${index}`, level: level + 1, name: child.name, node: child.value });
    }
  }
  return rows;
}
