// The same graph as a table: one row for each path from a visitor to a local service.
import { useMemo, useState } from "react";
import { counted } from "../../model/format";
import { Button } from "../../parts/Button";
import { HealthState } from "../HealthState";
import { PlaceLink } from "../PlaceLink";
import { NO_TRAFFIC, rate } from "../traffic";
import type { Graph, TopologyNode } from "./graph";
import { MAX_PATHS, pathsOf, type Path } from "./paths";
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
              {["Edge", "Route", "Modules", "Backends", "Agent", "Local service"].map((label) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {paths.slice(0, shown).map(({ id, at, backends, counted: { minute } }) => (
              <tr key={id}>
                <td>
                  <HealthState minute={minute ?? NO_TRAFFIC} />
                </td>
                <td className={styles.number}>{rate(minute?.requests ?? 0)}</td>
                <Part node={at.edge} />
                <Part node={at.route} />
                <Part node={at.stages} />
                <Backends backends={backends} />
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
    <td title={[node.title, describing(node)].filter(Boolean).join(", ")}>
      <Name node={node} />
    </td>
  );
}

/** In their order, each with its share or its place in the order. */
function Backends({ backends }: Pick<Path, "backends">) {
  if (backends.length === 0) return <Part node={undefined} />;
  return (
    <td className={styles.several}>
      {backends.map(({ node, label }, index) => (
        <span key={node.id}>
          {index > 0 && ` → ${label && `${label} `}`}
          <Name node={node} />
        </span>
      ))}
    </td>
  );
}

function Name({ node }: { node: TopologyNode }) {
  const more = describing(node);
  return (
    <>
      {node.path ? <PlaceLink to={node.path}>{node.title}</PlaceLink> : node.title}
      {more && <span className={styles.more}>{` ${more}`}</span>}
    </>
  );
}

/** What the picture says of a node besides its title; the heading of a column names the kind of most. */
function describing(node: TopologyNode): string {
  const saysKind = node.column === "edge" || node.column === "backend" || node.column === "chooser";
  const server = node.server && `node ${node.server.name}`;
  return [saysKind && node.kind, server, node.note].filter(Boolean).join(", ");
}

function None() {
  return <span className={styles.none}>–</span>;
}
