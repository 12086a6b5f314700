// Everything published and connected, as a picture and as a table with the same content.
import { useDeferredValue, useMemo, useState } from "react";
import { counted } from "../../model/format";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { Tabs } from "../../parts/Tabs";
import { useAddressSearch } from "../address";
import { PageFrame } from "../resource/PageFrame";
import { Failure, Loading } from "../shell/PageStates";
import { PlaceLink } from "../PlaceLink";
import { ClusterBar } from "./ClusterBar";
import { fold, type Folded } from "./fold";
import { clusterOf, graphOf, type Graph } from "./graph";
import { GraphStage } from "./GraphStage";
import { focusOf, pathsThrough, subgraph } from "./subgraph";
import { PathTable } from "./PathTable";
import styles from "./TopologyPage.module.css";
import { useGraphData } from "./useGraphData";
import { useShared } from "./useShared";

export default function TopologyPage() {
  const [search, change] = useAddressSearch();
  const focus = search["focus"] ?? "";
  const { data, edges, failed, retry } = useGraphData(focus);
  const words = useDeferredValue(search["q"] ?? "");
  const view = search["view"] === "table" ? "table" : "graph";
  const fullGraph = useShared(useMemo(() => data && graphOf(data), [data]));
  const cluster = useShared(useMemo(() => (data ? clusterOf(data) : []), [data]));
  const graph = useMemo(() => {
    if (!fullGraph) return null;
    const focused = focus === "" ? fullGraph : pathsThrough(fullGraph, focusOf(fullGraph, cluster, focus));
    return subgraph(focused, words);
  }, [fullGraph, cluster, focus, words]);
  const isWhole = focus === "" && words.trim() === "";
  const { graph: drawn, idle } = useFolded(graph, isWhole && search["idle"] !== "shown");
  const selected = graph?.nodes.find(({ id }) => id === search["node"]);
  if (!graph || !fullGraph || !drawn)
    return failed ? (
      <PageFrame title="Topology">
        <Failure thrown={failed} title="It could not be loaded" retry={retry} />
      </PageFrame>
    ) : (
      <Loading />
    );
  const hiddenCount = edges.there - edges.read;
  const focusName =
    fullGraph.nodes.find(({ id }) => id === focus)?.title ?? cluster.find(({ id }) => id === focus)?.name;
  return (
    <PageFrame
      title="Topology"
      wide
      about="How requests travel: edge, route, modules, backend, and the local service of an agent. Line width shows requests per minute."
    >
      {fullGraph.nodes.length === 0 ? (
        <div className={styles.empty}>
          <p>Nothing is published yet. Start a tunnel, or create an edge with a backend.</p>
          <p>
            <PlaceLink to="/overview">Open the overview for the first step</PlaceLink>
          </p>
        </div>
      ) : (
        <>
          <ClusterBar
            cluster={cluster}
            focus={focus}
            onFocus={(id) => change({ focus: id, node: undefined })}
          />
          <div className={styles.tools}>
            <span className={styles.search}>
              <Icon name="search" />
              <input
                type="search"
                aria-label="Search the topology"
                placeholder="Host, path, label, address"
                spellCheck={false}
                value={search["q"] ?? ""}
                onChange={(event) => change({ q: event.target.value || undefined })}
              />
            </span>
            <p role="status" className={styles.count}>
              {graph.nodes.length === 0
                ? nothingText(focus, words)
                : shownText(view === "graph" ? drawn : graph, idle.length, view, hiddenCount)}
            </p>
            {focus !== "" && (
              <Button icon="close" onClick={() => change({ focus: undefined })}>
                {focusName === undefined ? "Show all paths" : `Only ${focusName}: show all paths`}
              </Button>
            )}
            {view === "graph" && isWhole && idle.length > 0 && (
              <Button onClick={() => change({ idle: "shown" })}>
                {`Show ${counted(idle.length, "idle edge")}`}
              </Button>
            )}
            {view === "graph" && isWhole && search["idle"] === "shown" && (
              <Button onClick={() => change({ idle: undefined })}>Fold idle edges</Button>
            )}
          </div>
          <Tabs
            label="View"
            value={view}
            onChange={(next) => change({ view: next === "graph" ? undefined : next })}
            items={[
              { value: "graph", label: "Graph" },
              { value: "table", label: "Table" },
            ]}
          >
            {view === "table" ? (
              <PathTable graph={graph} />
            ) : (
              <GraphStage
                graph={drawn}
                part={`${focus} ${words}`}
                selected={selected ?? null}
                focus={focus}
                onSelect={(id) => change({ node: id ?? undefined })}
                onFocus={(id) => change({ focus: id, q: undefined })}
              />
            )}
          </Tabs>
        </>
      )}
    </PageFrame>
  );
}

const NO_EDGES: ReadonlySet<string> = new Set();

/** The graph without idle edges. Those that were drawn since it was folded stay: nothing disappears while it is watched. */
function useFolded(graph: Graph | null, isFolded: boolean): Partial<Folded> & Pick<Folded, "idle"> {
  const [kept, keep] = useState(NO_EDGES);
  const folded = useMemo(() => (graph && isFolded ? fold(graph, kept) : null), [graph, isFolded, kept]);
  const drawn = (folded?.graph.nodes ?? []).filter(({ column }) => column === "edge").map(({ id }) => id);
  if (isFolded && drawn.some((id) => !kept.has(id))) keep(new Set([...kept, ...drawn]));
  else if (!isFolded && kept.size > 0) keep(NO_EDGES);
  if (folded) return folded;
  return graph ? { graph, idle: [] } : { idle: [] };
}

function nothingText(focus: string, words: string): string {
  return words.trim() === "" && focus !== ""
    ? "This part is no longer there."
    : `Nothing matches “${words}”.`;
}

function shownText({ nodes }: Graph, idle: number, view: string, unread: number): string {
  const shown = nodes.filter(({ column }) => column === "edge").length;
  return [
    counted(shown, "edge"),
    view === "graph" && idle > 0 ? `${idle} idle folded` : "",
    unread > 0 ? `${counted(unread, "quiet edge")} not shown` : "",
  ]
    .filter(Boolean)
    .join("; ");
}
