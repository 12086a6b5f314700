// Two exchanges side by side: what the list knows of both, with what differs marked.
import type { Summary } from "../../api/types";
import { duration, moment, size } from "../../model/format";
import { useServices } from "../../services";
import styles from "./DiffView.module.css";

const FACTS: readonly [string, (summary: Summary) => string][] = [
  ["Method", ({ method }) => method],
  ["Address", ({ host, path }) => host + path],
  ["Answer", ({ status, error }) => status ?? error ?? "None yet"],
  ["Started", ({ start }) => moment(start)],
  ["Took", ({ duration: took }) => duration(took)],
  ["Request", ({ request_size }) => size(request_size)],
  ["Response", ({ response_size }) => size(response_size)],
  ["Tunnel", ({ tunnel_name }) => tunnel_name],
  ["Visitor", ({ remote_addr }) => remote_addr],
];

/** `left` and `right` are ids of exchanges, the older one first. */
export function DiffView({ left, right }: { left: string; right: string }) {
  const { model } = useServices();
  const both = [model.exchanges.find(left), model.exchanges.find(right)] as const;
  const [one, other] = both;
  if (!one || !other) return null;
  return (
    <table className={styles.diff} aria-label="Differences">
      <thead>
        <tr>
          <th scope="col">Of</th>
          <th scope="col">The older</th>
          <th scope="col">The newer</th>
        </tr>
      </thead>
      <tbody>
        {FACTS.map(([name, read]) => (
          <tr key={name} className={read(one) === read(other) ? undefined : styles.differs}>
            <th scope="row">{name}</th>
            <td>{read(one)}</td>
            <td>{read(other)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
