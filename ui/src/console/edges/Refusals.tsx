// Visitors recently refused by an edge, and why: each module's decision, its rule and its duration. Updated live.
import { useState } from "react";
import type { HttpsRoute, RefusedVisit } from "../../api/generated";
import { clock, counted, since } from "../../model/format";
import { useNow } from "../../parts/hooks";
import { Button } from "../../parts/Button";
import { PlainTable } from "../../parts/PlainTable";
import { Prose } from "../../parts/Prose";
import { MAX_REMEMBERED, refusingDecision } from "../modules/recentDecisions";
import { RequestsLink } from "../requests/LastMinute";
import { withCode } from "../requests/recentRequests";
import { exactly } from "../resource/cells";
import { Decisions } from "./Decisions";
import styles from "./Refusals.module.css";
import { pathOf } from "./routePath";
import { unnamed } from "../../model/ids";

const SHOWN = 10;

interface RefusalsProps {
  visits: readonly RefusedVisit[] | undefined;
  /** The routes of an HTTPS edge that the visits were for; a visit names its route where there are several. */
  routes?: readonly HttpsRoute[];
  /** The page with the requests, of which these are a part. */
  page?: string;
}

export function Refusals({ visits, routes = [], page }: RefusalsProps) {
  const [all, setAll] = useState(false);
  const now = useNow(5_000);
  if (visits === undefined) return <p className={styles.none}>Loading…</p>;
  if (visits.length === 0)
    return (
      <p className={styles.none}>
        No visitor has been refused since the server started. New refusals appear automatically.
      </p>
    );
  const shown = all ? visits : visits.slice(0, SHOWN);
  return (
    <>
      <PlainTable label="Recent refusals" columns={["When", "Visitor", "Request", "Reason", "Decisions"]}>
        {shown.map((visit) => (
          <tr key={visit.id + visit.at}>
            <td>
              <time dateTime={visit.at} title={exactly(visit.at)}>
                {clock(visit.at)}
              </time>
              <span className={styles.small}>{since(visit.at, now)}</span>
            </td>
            <td className={styles.visitor}>{visit.ip}</td>
            <td>
              <span className={styles.mono}>
                {visit.method ? `${visit.method} ${visit.path}` : visit.host || visit.scheme}
              </span>
              {visit.route && routes.length > 1 && (
                <span className={styles.small} title={visit.route.id}>
                  route {pathOfRoute(routes, visit.route.id)}
                </span>
              )}
            </td>
            <td>
              <Prose text={visit.msg} />
              <span className={styles.small}>
                {visit.status > 0 ? `${visit.status}, ` : "closed, "}
                {page === undefined ? (
                  visit.error_code
                ) : (
                  <RequestsLink page={page} filter={withCode(visit.error_code)}>
                    {visit.error_code}
                  </RequestsLink>
                )}
              </span>
            </td>
            <td>
              <Decisions
                decisions={visit.decisions}
                isFailed={refusingDecision(visit) === null}
                route={routes.find(({ id }) => id === visit.route?.id)}
              />
            </td>
          </tr>
        ))}
      </PlainTable>
      <p className={styles.foot}>
        {visits.length >= MAX_REMEMBERED
          ? `The last ${MAX_REMEMBERED}; older ones are in the access log.`
          : counted(visits.length, "refusal")}
        {visits.length > SHOWN && (
          <Button weight="quiet" onClick={() => setAll(!all)}>
            {all ? "Show fewer" : `Show all ${visits.length}`}
          </Button>
        )}
      </p>
    </>
  );
}

function pathOfRoute(routes: readonly HttpsRoute[], id: string): string {
  const route = routes.find((one) => one.id === id);
  return route ? pathOf(route) : unnamed(id);
}
