// A virtual list as a box of its own, for rows of text of equal height.
import {
  useEffect,
  useImperativeHandle,
  useRef,
  type ComponentProps,
  type ReactNode,
  type Ref,
  type RefObject,
} from "react";
import { useStable } from "./hooks";
import { useRowWindow, type RowWindow } from "./useRowWindow";
import styles from "./VirtualRows.module.css";

export type VirtualHandle = Pick<RowWindow, "show" | "page">;

interface VirtualRowsProps extends Omit<ComponentProps<"div">, "children" | "ref"> {
  count: number;
  height: number;
  label: string;
  role: "region" | "tree" | "list" | "table";
  handle?: Ref<VirtualHandle>;
  /** Called when a row is clicked. */
  onPick?(row: number): void;
  /** Called when other rows become visible. */
  onSight?(from: number, to: number): void;
  /** Called with the number of characters that fit on a line, first and after every change. */
  onColumns?(columns: number): void;
  /** Renders a row; its position comes from its order alone. */
  children(row: number): ReactNode;
}

export function VirtualRows({
  count,
  height,
  label,
  role,
  handle,
  onPick,
  onSight,
  onColumns,
  children,
  className,
  ...rest
}: VirtualRowsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const ruler = useRef<HTMLSpanElement>(null);
  const { space, from, to, top, onScroll, show, page } = useRowWindow(frame, { count, height });
  useColumns(frame, ruler, onColumns);
  const sight = useStable((first: number, last: number) => onSight?.(first, last));
  useEffect(() => sight(from, to), [sight, from, to]);
  useImperativeHandle(handle, () => ({ show, page }), [show, page]);

  const rows: ReactNode[] = [];
  for (let row = from; row < to; row += 1) {
    rows.push(
      <div
        key={row}
        role="presentation"
        data-row={row}
        className={styles.row}
        style={{ height, transform: `translateY(${top(row)}px)` }}
      >
        {children(row)}
      </div>,
    );
  }
  return (
    // The caller provides the role and handles the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <div
      ref={frame}
      tabIndex={0}
      {...rest}
      role={role}
      aria-label={label}
      className={`${styles.frame} ${className ?? ""}`}
      onScroll={onScroll}
      onClick={({ target }) => {
        const row =
          target instanceof Element ? target.closest<HTMLElement>("[data-row]")?.dataset["row"] : undefined;
        if (row !== undefined) onPick?.(Number(row));
      }}
    >
      <span ref={ruler} className={styles.ruler} aria-hidden="true">
        0000000000
      </span>
      <div role="presentation" className={styles.space} style={{ height: space }}>
        {rows}
      </div>
    </div>
  );
}

/** Measures how many characters fit on a line; the ruler has ten. */
function useColumns(
  frame: RefObject<HTMLElement | null>,
  ruler: RefObject<HTMLElement | null>,
  onColumns: ((columns: number) => void) | undefined,
): void {
  const report = useStable((columns: number) => onColumns?.(columns));
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      const width = ruler.current?.getBoundingClientRect().width ?? 0;
      if (width > 0) report(Math.floor((element.clientWidth / width) * 10));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame, ruler, report]);
}
