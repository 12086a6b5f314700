// The same graph as a table: one row for each path from a visitor to a local service.
import { useMemo, useState } from "react";
import { counted } from "../../model/format";
import { Button } from "../../parts/Button";
import { State } from "../../parts/State";
import { PlaceLink } from "../PlaceLink";
import { failureShare, healthOf, NO_TRAFFIC, rate } from "../traffic";
import type { Graph, TopologyNode } from "./graph";
import { MAX_PATHS, pathsOf } from "./paths";
import styles from "./TopologyPage.module.css";

const PAGE = 100;

export function PathTable({ graph }: { graph: Graph }) {
  const paths = useMemo(
    () =>
      pathsOf(graph).toSorted(
        (one, other) => (other.counted.minute?.requests ?? 0) - (one.counted.minute?.requests ?? 0),
      ),
    [graph],
  );
  const [shown, setShown] = useState(PAGE);
  return (
    <>
      <div className={styles.scroll}>
        <table className={styles.table}>
          <caption className="unseen">Paths from visitors to local services, the busiest first</caption>
          <thead>
            <tr>
              <th scope="col">Health</th>
              <th scope="col" className={styles.number}>
                Requests
              </th>
              {["Edge", "Route", "Modules", "Backend", "Agent", "Local service"].map((label) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {paths.slice(0, shown).map(({ id, at, counted: { minute } }) => (
              <tr key={id}>
                <td>
                  <HealthOf minute={minute ?? NO_TRAFFIC} />
                </td>
                <td className={styles.number}>{rate(minute?.requests ?? 0)}</td>
                <Part node={at.edge} />
                <Part node={at.route} />
                <td title={at.stages?.title}>{at.stages?.title ?? <None />}</td>
                <Part node={at.backend ?? at.chooser} />
                <Part node={at.agent} />
                <Part node={at.service} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={styles.count} role="status">
        {counted(Math.min(shown, paths.length), "path")}
        {paths.length > shown && ` of ${paths.length === MAX_PATHS ? "more than " : ""}${paths.length}`}
      </p>
      {paths.length > shown && <Button onClick={() => setShown(shown + PAGE)}>Show more</Button>}
    </>
  );
}

function Part({ node }: { node: TopologyNode | undefined }) {
  if (!node)
    return (
      <td>
        <None />
      </td>
    );
  return (
    <td title={[node.title, node.note].filter(Boolean).join(", ")}>
      {node.path ? <PlaceLink to={node.path}>{node.title}</PlaceLink> : node.title}
    </td>
  );
}

function None() {
  return <span className={styles.none}>–</span>;
}

function HealthOf({ minute }: { minute: TopologyNode["minute"] & object }) {
  const health = healthOf(minute);
  if (health === "idle")
    return (
      <State tone="idle" icon="pause">
        No requests
      </State>
    );
  if (health === "ok")
    return (
      <State tone="ok" icon="check">
        Responding
      </State>
    );
  return (
    <State tone={health} icon={health === "bad" ? "cross" : "alert"}>
      {failureShare(minute)}
    </State>
  );
}
