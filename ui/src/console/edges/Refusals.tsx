// Visitors recently refused by an edge, and why: each stage's decision, its rule and its duration. Updated live.
import { useState } from "react";
import type { RefusedVisit } from "../../api/generated";
import { clock, counted, since } from "../../model/format";
import { useNow } from "../../parts/hooks";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { MODULES } from "../modules/index";
import { MAX_REMEMBERED, refusingDecision } from "../modules/recentDecisions";
import { exactly, RefLink } from "../resource/cells";
import styles from "./Refusals.module.css";

const SHOWN = 10;

interface RefusalsProps {
  visits: readonly RefusedVisit[] | undefined;
  /** Paths of routes by id, where there are several. */
  routes?: ReadonlyMap<string, string>;
}

export function Refusals({ visits, routes }: RefusalsProps) {
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
      <div className={styles.scroll} role="region" aria-label="Recent refusals" tabIndex={0}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Visitor</th>
              <th scope="col">Request</th>
              <th scope="col">Reason</th>
              <th scope="col">Stages</th>
            </tr>
          </thead>
          <tbody>
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
                  {visit.route && routes && (
                    <span className={styles.small}>
                      route <RefRoute visit={visit} path={routes.get(visit.route.id)} />
                    </span>
                  )}
                </td>
                <td>
                  {visit.msg}
                  <span className={styles.small}>
                    {visit.status > 0 ? `${visit.status}, ` : "closed, "}
                    {visit.error_code}
                  </span>
                </td>
                <td>
                  <Stages visit={visit} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
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

function RefRoute({ visit, path }: { visit: RefusedVisit; path: string | undefined }) {
  return <span title={visit.route?.id}>{path ?? visit.route?.id}</span>;
}

const VERDICTS = { passed: "check", refused: "cross", warned: "alert" } as const;

/** The decision of each stage, in order. */
function Stages({ visit }: { visit: RefusedVisit }) {
  const last = refusingDecision(visit);
  return (
    <ol className={styles.stages}>
      {visit.decisions.map((decision) => (
        <li key={`${decision.module}-${decision.verdict}`} className={styles[decision.verdict]}>
          <Icon name={VERDICTS[decision.verdict]} size={14} />
          <span>
            {labelOf(decision.module)} {decision.verdict}
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

function labelOf(stage: string): string {
  if (stage === "login") return "Login";
  if (stage === "endpoints_restriction") return "IP restriction of the server";
  return MODULES.find(({ trace }) => trace === stage)?.label ?? stage;
}
