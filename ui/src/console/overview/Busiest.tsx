// The edges and tunnels with the most requests in the last minute.
import type { Traffic } from "../../api/generated";
import type { Base, Collection } from "../../api/management";
import { recordQuery, useApiQuery } from "../management";
import { HealthState } from "../HealthState";
import { PlaceLink } from "../PlaceLink";
import { Section } from "../resource/PageFrame";
import { pathOfId } from "../resource/idPaths";
import { collectionOfId } from "../../model/ids";
import { rate, trafficQuery } from "../traffic";
import styles from "./OverviewPage.module.css";

const SHOWN = 6;
const KINDS: Partial<Record<Traffic["kind"], string>> = {
  https_edge: "HTTPS edge",
  tls_edge: "TLS edge",
  tcp_edge: "TCP edge",
  tunnel: "Tunnel",
};

export function Busiest() {
  const traffic = useApiQuery(trafficQuery).data;
  const busy = [...(traffic?.values() ?? [])].filter(
    ({ kind, last_minute }) => kind in KINDS && last_minute.requests > 0,
  );
  if (busy.length === 0) return null;
  return (
    <Section
      title="Busiest edges and tunnels"
      actions={
        <PlaceLink to="/topology" className={styles.link}>
          Topology
        </PlaceLink>
      }
    >
      <div className={styles.scroll}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Kind</th>
              <th scope="col" className={styles.number}>
                Requests
              </th>
              <th scope="col">Health</th>
            </tr>
          </thead>
          <tbody>
            {busy.slice(0, SHOWN).map((one) => (
              <tr key={one.id}>
                <td>
                  <Name id={one.id} />
                </td>
                <td>{KINDS[one.kind]}</td>
                <td className={styles.number}>{rate(one.last_minute.requests)}</td>
                <td>
                  <HealthState minute={one.last_minute} id={one.id} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

interface Named extends Base {
  hostports?: string[];
  public_url?: string;
  forwards_to?: string;
}

function Name({ id }: { id: string }) {
  const path = pathOfId(id);
  const from: Collection<Named> = { path: collectionOfId(id) ?? "/tunnels" };
  const record = useApiQuery(recordQuery(from, id)).data;
  const words = record?.public_url || record?.hostports?.join(", ") || record?.forwards_to || id;
  return path ? <PlaceLink to={path}>{words}</PlaceLink> : words;
}
