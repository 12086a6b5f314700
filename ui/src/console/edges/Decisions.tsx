// The decision of each module about a request or connection, in order.
import type { Decision, HttpsRoute } from "../../api/generated";
import { moduleLabel } from "../../model/decisions";
import { isId } from "../../model/ids";
import { Icon } from "../../parts/Icon";
import { isOn, moduleSetOf } from "../modules/conflicts";
import { MODULES } from "../modules/index";
import { RefLink } from "../resource/cells";
import styles from "./Decisions.module.css";

const VERDICTS = { passed: "check", refused: "cross", warned: "alert" } as const;

interface DecisionsProps {
  decisions: readonly Decision[];
  /** Every module let it pass, and the backend failed. */
  isFailed: boolean;
  /** The route, which tells its logins apart. */
  route: HttpsRoute | undefined;
}

export function Decisions({ decisions, isFailed, route }: DecisionsProps) {
  return (
    <ol className={styles.stages}>
      {decisions.map((decision) => (
        <li key={`${decision.module}-${decision.verdict}`} className={styles[decision.verdict]}>
          <Icon name={VERDICTS[decision.verdict]} size={14} />
          <span>
            {labelOf(decision, route)} {decision.verdict}
            {decision.rule === "" && decision.module === "ip_restriction" && decision.verdict !== "passed"
              ? ": no rule allows the address"
              : ""}
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
      {isFailed && (
        <li className={styles.refused}>
          <Icon name="cross" size={14} />
          <span>The backend failed</span>
        </li>
      )}
    </ol>
  );
}

function Rule({ text }: { text: string }) {
  return isId(text) ? <RefLink id={text} /> : <code className={styles.mono}>{text}</code>;
}

/** All logins are one module to the edge: the route tells which one it has. */
function labelOf(decision: Decision, route: HttpsRoute | undefined): string {
  const set = route && moduleSetOf(route, "https_route");
  const login = MODULES.find(({ name, trace }) => trace === decision.module && isOn(set?.[name]));
  return (decision.module === "login" && login?.label) || moduleLabel(decision);
}
