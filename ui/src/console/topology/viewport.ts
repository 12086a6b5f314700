// The part of the picture that is shown first.
import type { Layout, Placed } from "./layout";

export interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

/** Zoom below which the texts of nodes cannot be read. */
const MIN_READABLE_ZOOM = 0.75;
const MARGIN = 16;
/** Room for the names of the columns above the graph. */
export const HEAD = 34;
/** Room for the buttons below it. */
const FOOT = 52;

/** The width of a graph whose texts can be read when all of it is shown. */
export function readableWidth(across: number): number {
  return (across - 2 * MARGIN) / MIN_READABLE_ZOOM;
}

type Size = Pick<Layout, "width" | "height">;

/** What is shown first: the whole graph where it can be read, otherwise its beginning. */
export function firstViewport({ width, height }: Size, across: number, down: number): Viewport {
  const fitting = Math.min((across - 2 * MARGIN) / Math.max(width, 1), 1);
  const whole = Math.min((down - HEAD - FOOT) / Math.max(height, 1), fitting);
  const zoom = Math.max(whole >= MIN_READABLE_ZOOM ? whole : fitting, MIN_READABLE_ZOOM);
  return {
    x: Math.max((across - width * zoom) / 2, MARGIN),
    y: Math.max((down - FOOT - height * zoom + HEAD) / 2, HEAD),
    zoom,
  };
}

/** The whole graph, even if its texts become too small to read. */
export function wholeViewport({ width, height }: Size, across: number, down: number): Viewport {
  const zoom = Math.min(
    (across - 2 * MARGIN) / Math.max(width, 1),
    (down - HEAD - FOOT) / Math.max(height, 1),
    1,
  );
  return {
    x: (across - width * zoom) / 2,
    y: HEAD + (down - HEAD - FOOT - height * zoom) / 2,
    zoom,
  };
}

/** The least move after which a node can be seen. */
export function revealing(
  { x, y, zoom }: Viewport,
  node: Pick<Placed, "x" | "y" | "width" | "height">,
  across: number,
  down: number,
): Viewport {
  return {
    x: x + shift(x + node.x * zoom, node.width * zoom, MARGIN, across - MARGIN),
    y: y + shift(y + node.y * zoom, node.height * zoom, HEAD + MARGIN, down - FOOT),
    zoom,
  };
}

/** The height of what is drawn at once. */
const STRIP = 400;

/** From where to where the graph is drawn: what is visible, and a strip above and below it. */
export function visibleStrips({ y, zoom }: Omit<Viewport, "x">, down: number): [number, number] {
  return [(Math.floor(-y / zoom / STRIP) - 1) * STRIP, (Math.ceil((down - y) / zoom / STRIP) + 1) * STRIP];
}

/** How far something has to be moved to be between two bounds, its beginning above all. */
function shift(from: number, size: number, least: number, most: number): number {
  return from < least ? least - from : Math.max(Math.min(0, most - from - size), least - from);
}
