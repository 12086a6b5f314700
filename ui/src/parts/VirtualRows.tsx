// A virtual list of rows of equal height: only the visible rows are rendered, and no cost grows with their number.
import {
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentProps,
  type ReactNode,
  type Ref,
} from "react";
import styles from "./VirtualRows.module.css";

/** Browsers limit the height of boxes; callers show more rows than this in pages. */
export const MAX_ROWS = 500_000;
const OVERSCAN = 12;

export interface VirtualHandle {
  /** Scrolls as little as necessary to show the row. */
  show(row: number): void;
  /** Number of rows that are visible at once. */
  page(): number;
  focus(): void;
}

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
  const [visible, setVisible] = useState({ from: 0, to: 60 });
  const callbacks = useRef({ onSight, onColumns });
  useEffect(() => {
    callbacks.current = { onSight, onColumns };
  });

  const updateVisible = () => {
    const element = frame.current;
    if (!element) return;
    const from = Math.max(Math.floor(element.scrollTop / height) - OVERSCAN, 0);
    const to = Math.ceil((element.scrollTop + element.clientHeight) / height) + OVERSCAN;
    setVisible((before) => (before.from === from && before.to === to ? before : { from, to }));
  };
  useLayoutEffect(updateVisible, [count, height]);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const measure = () => {
      updateVisible();
      const wide = ruler.current?.getBoundingClientRect().width ?? 0;
      if (wide > 0) callbacks.current.onColumns?.(Math.floor((element.clientWidth / wide) * 10));
    };
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
    // oxlint-disable-next-line react/exhaustive-deps -- the visible range is read anew each time
  }, []);
  const last = Math.min(visible.to, count);
  useEffect(() => callbacks.current.onSight?.(visible.from, last), [visible.from, last, count]);
  useImperativeHandle(handle, () => ({
    show(row) {
      const element = frame.current;
      if (!element) return;
      const top = row * height;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + height > element.scrollTop + element.clientHeight)
        element.scrollTop = top + height - element.clientHeight;
      updateVisible();
    },
    page: () => Math.max(Math.floor((frame.current?.clientHeight ?? height) / height) - 1, 1),
    focus: () => frame.current?.focus(),
  }));

  const rows: ReactNode[] = [];
  for (let row = visible.from; row < last; row += 1) {
    rows.push(
      <div
        key={row}
        role="presentation"
        data-row={row}
        className={styles.row}
        style={{ height, transform: `translateY(${row * height}px)` }}
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
      onScroll={updateVisible}
      onClick={({ target }) => {
        const row =
          target instanceof Element ? target.closest<HTMLElement>("[data-row]")?.dataset["row"] : undefined;
        if (row !== undefined) onPick?.(Number(row));
      }}
    >
      <span ref={ruler} className={styles.ruler} aria-hidden="true">
        0000000000
      </span>
      <div role="presentation" className={styles.space} style={{ height: count * height }}>
        {rows}
      </div>
    </div>
  );
}
