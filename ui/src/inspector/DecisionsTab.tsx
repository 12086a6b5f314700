// The decisions of the edge about the request, module by module, which explain the response.
import type { Decision } from "../api/types";
import { moduleLabel, explain } from "../model/decisions";
import type { Detail } from "../model/details";
import { isId } from "../model/ids";
import { Notice, type Tone } from "../parts/Notice";
import type { IconName } from "../parts/Icon";
import { State } from "../parts/State";
import { Reference } from "./Reference";
import styles from "./DecisionsTab.module.css";

const DECISION_STYLES: Record<string, { tone: Tone; icon: IconName; words: string }> = {
  passed: { tone: "ok", icon: "check", words: "Passed" },
  refused: { tone: "bad", icon: "cross", words: "Refused" },
  warned: { tone: "warn", icon: "alert", words: "Warned" },
};

export function DecisionsTab({ detail }: { detail: Detail }) {
  const { captured } = detail;
  const { trace } = captured;
  const verdict = explain(captured);
  const origins = [
    ["Request", trace?.id],
    ["Edge", trace?.edge],
    ["Route", trace?.route],
    ["Backend", trace?.backend],
  ].filter((place): place is [string, string] => Boolean(place[1]));
  return (
    <>
      <div className={styles.verdict}>
        <Notice tone={verdict.tone} title={verdict.text} />
      </div>
      {trace?.decisions && trace.decisions.length > 0 && (
        <table className={styles.table} aria-label="Decisions">
          <thead>
            <tr>
              <th scope="col">Module</th>
              <th scope="col">Decision</th>
              <th scope="col">Rule</th>
              <th scope="col" className={styles.took}>
                Duration
              </th>
            </tr>
          </thead>
          <tbody>
            {trace.decisions.map((decision, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- a module may decide twice, the order is fixed
              <Row key={index} decision={decision} />
            ))}
          </tbody>
        </table>
      )}
      {origins.length > 0 && (
        <dl className={styles.places}>
          {origins.map(([name, id]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{isId(id) ? <Reference id={id} /> : id}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

function Row({ decision }: { decision: Decision }) {
  const { tone, icon, words } = DECISION_STYLES[decision.verdict] ?? {
    tone: "info" as const,
    icon: "info" as const,
    words: decision.verdict,
  };
  return (
    <tr>
      <th scope="row">{moduleLabel(decision)}</th>
      <td>
        <State tone={tone} icon={icon}>
          {words}
        </State>
      </td>
      <td className={styles.rule}>
        {isId(decision.rule ?? "") ? <Reference id={decision.rule ?? ""} /> : decision.rule || "none"}
      </td>
      <td className={styles.took}>{decision.microseconds} µs</td>
    </tr>
  );
}
