// Visitors recently refused by an edge, and why: each module's decision, its rule and its duration. Updated live.
import { useState } from "react";
import type { Decision, HttpsRoute, RefusedVisit } from "../../api/generated";
import { moduleLabel } from "../../model/decisions";
import { clock, counted, since } from "../../model/format";
import { useNow } from "../../parts/hooks";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { PlainTable } from "../../parts/PlainTable";
import { Prose } from "../../parts/Prose";
import { isOn, moduleSetOf } from "../modules/conflicts";
import { MODULES } from "../modules/index";
import { MAX_REMEMBERED, refusingDecision } from "../modules/recentDecisions";
import { exactly, RefLink } from "../resource/cells";
import styles from "./Refusals.module.css";
import { pathOf } from "./routePath";

const SHOWN = 10;

interface RefusalsProps {
  visits: readonly RefusedVisit[] | undefined;
  /** The routes of an HTTPS edge that the visits were for; a visit names its route where there are several. */
  routes?: readonly HttpsRoute[];
}

export function Refusals({ visits, routes = [] }: RefusalsProps) {
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
                {visit.error_code}
              </span>
            </td>
            <td>
              <Decisions visit={visit} route={routes.find(({ id }) => id === visit.route?.id)} />
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
  return route ? pathOf(route) : id;
}

const VERDICTS = { passed: "check", refused: "cross", warned: "alert" } as const;

/** The decision of each module, in order. */
function Decisions({ visit, route }: { visit: RefusedVisit; route: HttpsRoute | undefined }) {
  const last = refusingDecision(visit);
  return (
    <ol className={styles.stages}>
      {visit.decisions.map((decision) => (
        <li key={`${decision.module}-${decision.verdict}`} className={styles[decision.verdict]}>
          <Icon name={VERDICTS[decision.verdict]} size={14} />
          <span>
            {labelOf(decision, route)} {decision.verdict}
            {decision.rule === "" && decision.module === "ip_restriction" && ": no rule allows the address"}
            {decision.rule && (
              <>
                {" by "}
                <Rule text={decision.rule} />
              </>
            )}
            , {decision.microseconds} µs
          </span>
        </li>
      ))}
      {last === null && (
        <li className={styles.refused}>
          <Icon name="cross" size={14} />
          <span>The backend failed</span>
        </li>
      )}
    </ol>
  );
}

function Rule({ text }: { text: string }) {
  return /^[a-z]+_[0-9A-Za-z]{27}$/.test(text) ? (
    <RefLink id={text} />
  ) : (
    <code className={styles.mono}>{text}</code>
  );
}

/** All logins are one module to the edge: the route tells which one it has. */
function labelOf(decision: Decision, route: HttpsRoute | undefined): string {
  const set = route && moduleSetOf(route, "https_route");
  const login = MODULES.find(({ name, trace }) => trace === decision.module && isOn(set?.[name]));
  return (decision.module === "login" && login?.label) || moduleLabel(decision);
}
