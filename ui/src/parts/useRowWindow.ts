// The visible rows of a list with rows of equal height: only they are rendered, and no cost grows with their number.
import { useEffect, useLayoutEffect, useState, type RefObject } from "react";
import { flushSync } from "react-dom";
import { useStable } from "./hooks";
import { boxHeight, ScrollMap } from "./scrollMap";

/** Rows rendered above and below the visible ones. */
const OVERSCAN = 8;
/** Rows rendered before the height is known. */
const INITIAL_ROWS = 40;

interface RowWindowOptions {
  count: number;
  /** Height of a row in pixels. */
  height: number;
  /** Height of what sticks above the rows, in pixels. */
  header?: number;
}

interface Visible {
  from: number;
  to: number;
  offset: number;
}

export interface RowWindow {
  /** Height of the element that contains the rows, in pixels. */
  space: number;
  /** The rendered rows; `to` is exclusive. */
  from: number;
  to: number;
  /** Position of a row in that element, in pixels. */
  top(row: number): number;
  onScroll(): void;
  /** Scrolls as little as necessary to show the row. */
  show(row: number): void;
  /** Number of rows that a page key moves by. */
  page(): number;
}

export function useRowWindow(
  frame: RefObject<HTMLElement | null>,
  { count, height, header = 0 }: RowWindowOptions,
): RowWindow {
  const [map] = useState(() => new ScrollMap());
  const [visible, setVisible] = useState<Visible>({ from: 0, to: INITIAL_ROWS, offset: 0 });

  const update = useStable(() => {
    const element = frame.current;
    if (!element) return;
    const view = element.clientHeight - header;
    map.resize(count * height, view);
    const box = map.follow(element.scrollTop);
    if (box !== element.scrollTop) element.scrollTo({ top: box });
    const from = Math.max(Math.floor(map.position / height) - OVERSCAN, 0);
    const to = Math.ceil((map.position + view) / height) + OVERSCAN;
    const { offset } = map;
    setVisible((before) =>
      before.from === from && before.to === to && before.offset === offset ? before : { from, to, offset },
    );
  });
  useLayoutEffect(update, [update, count, height]);
  useEffect(() => {
    if (!frame.current) return undefined;
    const observer = new ResizeObserver(update);
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [frame, update]);

  const show = useStable((row: number) => {
    const element = frame.current;
    if (!element) return;
    const view = element.clientHeight - header;
    map.resize(count * height, view);
    const top = row * height;
    if (top < map.position) element.scrollTo({ top: map.moveTo(top) });
    else if (top + height > map.position + view) element.scrollTo({ top: map.moveTo(top + height - view) });
    update();
  });
  const page = useStable(() => Math.max(Math.floor((frame.current?.clientHeight ?? 0) / height) - 1, 1));
  // Rendered within the frame that scrolls; later, the rows that enter would be missing in it.
  const onScroll = useStable(() => flushSync(update));

  return {
    space: boxHeight(count * height),
    from: Math.min(visible.from, count),
    to: Math.min(visible.to, count),
    top: (row) => row * height - visible.offset,
    onScroll,
    show,
    page,
  };
}
