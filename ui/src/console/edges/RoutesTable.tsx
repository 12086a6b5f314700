// The routes of an HTTPS edge: their paths, backends and modules.
import type { HttpsEdge, HttpsRoute, RefusedVisit } from "../../api/generated";
import { Button } from "../../parts/Button";
import { useNow } from "../../parts/hooks";
import { since } from "../../model/format";
import { useNavigateTo } from "../address";
import { moduleSetOf } from "../modules/conflicts";
import { stagesOf } from "../modules/index";
import { isOn } from "../modules/conflicts";
import { PlaceLink } from "../PlaceLink";
import { LastMinute, RequestsLink } from "../requests/LastMinute";
import { REFUSED } from "../requests/recentRequests";
import { BackendName } from "./BackendName";
import { useLastMinute } from "./lastMinute";
import { inMatchOrder } from "./routeFields";
import { pathOf } from "./routePath";
import styles from "./RoutesTable.module.css";

export function RoutesTable({ edge, visits }: { edge: HttpsEdge; visits: readonly RefusedVisit[] }) {
  const go = useNavigateTo();
  const now = useNow(5_000, visits.length > 0);
  const path = `/edges/https/${edge.id}/routes`;
  if (edge.routes.length === 0)
    return (
      <div className={styles.empty}>
        <p>
          There is no route yet, so every request gets 404. A route forwards the requests for its paths to a
          backend.
        </p>
        <Button weight="primary" icon="add" onClick={() => go(`${path}/new`)}>
          New route
        </Button>
      </div>
    );
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Path</th>
            <th scope="col">Backend</th>
            <th scope="col">Modules</th>
            <th scope="col">Last minute</th>
            <th scope="col">Refused</th>
          </tr>
        </thead>
        <tbody>
          {inMatchOrder(edge.routes).map((route) => {
            const own = visits.filter((visit) => visit.route?.id === route.id);
            const last = own[0];
            return (
              <tr key={route.id}>
                <th scope="row">
                  <PlaceLink to={`${path}/${route.id}`} className={styles.path}>
                    {pathOf(route)}
                  </PlaceLink>
                  {route.description && <span className={styles.small}>{route.description}</span>}
                </th>
                <td>
                  {route.backend ? (
                    <>
                      <BackendName id={route.backend.backend.id} />
                      {!route.backend.enabled && <span className={styles.small}>turned off</span>}
                    </>
                  ) : (
                    <span className={styles.lacking}>none: no visitor is served</span>
                  )}
                </td>
                <td>{stagesIn(route) || <span className={styles.none}>none</span>}</td>
                <td>
                  <LastMinuteOf id={route.id} page={`${path}/${route.id}`} />
                </td>
                <td>
                  {last ? (
                    <>
                      <RequestsLink page={`${path}/${route.id}`} filter={REFUSED}>
                        {own.length}
                      </RequestsLink>
                      , last {since(last.at, now)}
                    </>
                  ) : (
                    <span className={styles.none}>none</span>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function stagesIn(route: HttpsRoute): string {
  const set = moduleSetOf(route, "https_route");
  const { inward, outward } = stagesOf("https_route");
  return [...inward, ...outward]
    .filter(({ name }) => name !== "backend" && set[name])
    .map(({ name, label }) => (isOn(set[name]) ? label : `${label} (off)`))
    .join(", ");
}

function LastMinuteOf({ id, page }: { id: string; page: string }) {
  const recent = useLastMinute(id);
  if (!recent) return "…";
  return recent.requests === 0 ? (
    <span className={styles.none}>nothing</span>
  ) : (
    <LastMinute point={recent} page={page} />
  );
}
