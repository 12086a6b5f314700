// Everything published and connected, as a picture and as a table with the same content.
import { lazy, Suspense, useDeferredValue, useMemo } from "react";
import { counted } from "../../model/format";
import { Icon } from "../../parts/Icon";
import { Tabs } from "../../parts/Tabs";
import { useAddressSearch } from "../address";
import { PageFrame } from "../resource/PageFrame";
import { Failure, Loading } from "../shell/PageStates";
import { PlaceLink } from "../PlaceLink";
import { NodeDetails } from "./NodeDetails";
import { graphOf } from "./graph";
import { subgraph } from "./subgraph";
import { PathTable } from "./PathTable";
import styles from "./TopologyPage.module.css";
import { useGraphData } from "./useGraphData";

const Picture = lazy(() => import("./GraphView"));

export default function TopologyPage() {
  const { data, edges, failed, retry } = useGraphData();
  const [search, change] = useAddressSearch();
  const words = useDeferredValue(search["q"] ?? "");
  const view = search["view"] === "table" ? "table" : "graph";
  const fullGraph = useMemo(() => data && graphOf(data), [data]);
  const graph = useMemo(() => fullGraph && subgraph(fullGraph, words), [fullGraph, words]);
  const selected = graph?.nodes.find(({ id }) => id === search["node"]);
  if (!graph || !fullGraph)
    return failed ? (
      <PageFrame title="Topology">
        <Failure thrown={failed} title="It could not be loaded" retry={retry} />
      </PageFrame>
    ) : (
      <Loading />
    );
  const hiddenCount = edges.there - edges.read;
  return (
    <PageFrame
      title="Topology"
      wide
      about="How requests travel: edge, route, modules, backend, agent, local service. Line width shows requests per minute."
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
                ? `Nothing matches “${words}”.`
                : counted(graph.nodes.length, "part") +
                  (hiddenCount > 0 ? `; ${counted(hiddenCount, "quiet edge")} not shown` : "")}
            </p>
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
              <div className={styles.stage}>
                <Suspense fallback={<Loading />}>
                  <Picture
                    graph={graph}
                    selected={selected?.id ?? null}
                    onSelect={(id) => change({ node: id ?? undefined })}
                  />
                </Suspense>
                {selected && <NodeDetails node={selected} onClose={() => change({ node: undefined })} />}
              </div>
            )}
          </Tabs>
        </>
      )}
    </PageFrame>
  );
}
