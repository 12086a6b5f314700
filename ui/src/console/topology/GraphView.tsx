// The graph as a picture: moved and zoomed with pointer or keyboard; the arrow keys follow its lines.
import {
  Background,
  ControlButton,
  Controls,
  ReactFlow,
  useStore,
  useViewport,
  ViewportPortal,
  type ReactFlowInstance,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { flushSync } from "react-dom";
import { Icon } from "../../parts/Icon";
import { Failure, Loading } from "../shell/PageStates";
import type { Graph, TopologyLink, TopologyNode } from "./graph";
import { GraphLines } from "./GraphLines";
import { GraphNode } from "./GraphNode";
import styles from "./GraphView.module.css";
import type { Layout, Placed } from "./layout";
import { idsOnPaths } from "./subgraph";
import { useLayout } from "./useLayout";
import { firstViewport, revealing, visibleStrips, wholeViewport, type Viewport } from "./viewport";
import { isWalkKey, walk } from "./walk";

interface GraphViewProps {
  graph: Graph;
  /** The width into which the graph has to fit if possible. */
  room: number;
  selected: string | null;
  onSelect(id: string | null): void;
}

export default function GraphView({ graph, room, ...rest }: GraphViewProps) {
  const { layout, failed } = useLayout(graph, room);
  if (failed) return <Failure thrown={failed} title="The graph could not be drawn" />;
  if (!layout) return <Loading />;
  return <Picture graph={graph} layout={layout} {...rest} />;
}

type PictureProps = Omit<GraphViewProps, "room"> & { layout: Layout };

function Picture({ graph, layout, selected, onSelect }: PictureProps) {
  const frame = useRef<HTMLDivElement>(null);
  const hint = useId();
  const [flow, setFlow] = useState<ReactFlowInstance | null>(null);
  const moved = useRef(false);
  const chosen = layout.nodes.find(({ node }) => node.id === selected);
  useViewportOf(flow, frame, layout, chosen, moved);
  const nodes = useMemo(() => new Map(graph.nodes.map((node) => [node.id, node])), [graph]);
  const links = useMemo(() => new Map(graph.links.map((link) => [link.id, link])), [graph]);
  const path = useMemo(
    () => (selected !== null && nodes.has(selected) ? idsOnPaths(graph, [selected]) : null),
    [graph, nodes, selected],
  );
  // Between a change of the graph and its new layout nodes of either may be missing in the other.
  const placed = layout.nodes.filter(({ node }) => nodes.has(node.id));
  const [focused, setFocused] = useState<string | null>(null);
  const isPlaced = (id: string | null) => placed.some(({ node }) => node.id === id);
  const tabbable = [focused, selected].find(isPlaced) ?? firstOf(placed)?.node.id;

  const move = (viewport: Viewport) => {
    moved.current = true;
    void flow?.setViewport(viewport);
  };
  const reveal = (id: string) => {
    const here = placed.find(({ node }) => node.id === id);
    const element = frame.current;
    if (flow && here && element)
      move(revealing(flow.getViewport(), here, element.clientWidth, element.clientHeight));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const id = nodeAt(event.target);
    if (event.key === "Escape" && selected !== null) return onSelect(null);
    if (id === null || !isWalkKey(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = walk({ ...layout, nodes: placed }, id, event.key);
    // A node that is far away is drawn only now.
    flushSync(() => setFocused(next));
    frame.current
      ?.querySelector<HTMLElement>(`[data-node="${CSS.escape(next)}"]`)
      ?.focus({ preventScroll: true });
  };

  return (
    <div className={styles.picture} ref={frame}>
      <ReactFlow
        onInit={setFlow}
        panOnScroll
        zoomOnDoubleClick={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        disableKeyboardA11y
        minZoom={0.1}
        maxZoom={1.6}
        proOptions={{ hideAttribution: true }}
        onMoveStart={(event) => {
          if (event) moved.current = true;
        }}
        onPaneClick={() => onSelect(null)}
        onKeyDown={onKeyDown}
        onClick={({ target }) => {
          const id = nodeAt(target);
          if (id === null) return;
          moved.current = true;
          onSelect(id);
        }}
        onFocus={({ target }) => {
          const id = nodeAt(target);
          setFocused(id);
          if (id !== null && target.matches(":focus-visible")) reveal(id);
        }}
        aria-label="Graph of everything published"
        aria-describedby={hint}
      >
        <Background gap={24} size={1} />
        <ViewportPortal>
          <Parts {...{ layout, nodes, links, path, selected }} placed={placed} tabbable={tabbable ?? null} />
        </ViewportPortal>
        <ColumnNames columns={layout.columns} />
        <Controls
          showInteractive={false}
          showFitView={false}
          orientation="horizontal"
          position="bottom-right"
          onZoomIn={() => (moved.current = true)}
          onZoomOut={() => (moved.current = true)}
        >
          <ControlButton
            title="Show all"
            aria-label="Show all"
            onClick={() => {
              const element = frame.current;
              if (element) move(wholeViewport(layout, element.clientWidth, element.clientHeight));
            }}
          >
            <Icon name="fit" />
          </ControlButton>
        </Controls>
      </ReactFlow>
      <p id={hint} className={styles.hint}>
        Arrow keys follow the lines, Enter shows details.
      </p>
    </div>
  );
}

interface PartsProps {
  layout: Layout;
  placed: readonly Placed[];
  nodes: ReadonlyMap<string, TopologyNode>;
  links: ReadonlyMap<string, TopologyLink>;
  path: ReadonlySet<string> | null;
  selected: string | null;
  tabbable: string | null;
}

/** The lines and nodes near the visible part, and the node that Tab reaches. */
function Parts({ layout, placed, nodes, links, path, selected, tabbable }: PartsProps) {
  // A text changes only from one strip to the next, not with each pixel.
  const strips = useStore(({ transform: [, y, zoom], height }) => visibleStrips({ y, zoom }, height).join());
  const [top = 0, bottom = 0] = useMemo(() => strips.split(",").map(Number), [strips]);
  const lines = useMemo(
    () =>
      layout.lines.filter(({ points }) =>
        isWithin(
          points.map(({ y }) => y),
          top,
          bottom,
        ),
      ),
    [layout, top, bottom],
  );
  return (
    <>
      <GraphLines layout={layout} lines={lines} links={links} path={path} />
      {placed.map(({ node: { id }, x, y, width, height }) => {
        const node = nodes.get(id);
        if (!node || (id !== tabbable && !isWithin([y, y + height], top, bottom))) return null;
        return (
          <GraphNode
            key={id}
            {...{ node, x, y, width, height }}
            dense={layout.dense}
            selected={id === selected}
            onPath={path?.has(id) ?? false}
            tabbable={id === tabbable}
          />
        );
      })}
    </>
  );
}

function isWithin(heights: readonly number[], top: number, bottom: number): boolean {
  return Math.min(...heights) <= bottom && Math.max(...heights) >= top;
}

/** Until the picture is moved, it follows what is added and the size of the window; then it keeps the selected node visible. */
function useViewportOf(
  flow: ReactFlowInstance | null,
  frame: RefObject<HTMLDivElement | null>,
  { width, height }: Layout,
  chosen: Placed | undefined,
  moved: RefObject<boolean>,
): void {
  useEffect(() => {
    const element = frame.current;
    if (!flow || !element || width === 0) return;
    const follow = () => {
      const { clientWidth: across, clientHeight: down } = element;
      if (!moved.current) void flow.setViewport(firstViewport({ width, height }, across, down));
      if (chosen) void flow.setViewport(revealing(flow.getViewport(), chosen, across, down));
    };
    follow();
    const sizes = new ResizeObserver(follow);
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [flow, frame, width, height, chosen, moved]);
}

/** The names of the columns stay at the top while the picture is moved. */
function ColumnNames({ columns }: Pick<Layout, "columns">) {
  const { x, zoom } = useViewport();
  return (
    <div className={styles.columns} aria-hidden>
      {columns.map((column) => (
        <span
          key={column.x}
          style={{ transform: `translateX(${x + column.x * zoom}px)`, width: column.width * zoom }}
        >
          {column.label}
        </span>
      ))}
    </div>
  );
}

function nodeAt(target: EventTarget): string | null {
  return target instanceof Element
    ? (target.closest<HTMLElement>("[data-node]")?.dataset["node"] ?? null)
    : null;
}

function firstOf(placed: readonly Placed[]): Placed | undefined {
  return placed.toSorted((one, other) => one.x - other.x || one.y - other.y)[0];
}
