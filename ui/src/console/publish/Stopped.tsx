// Why a publication stopped, what exists so far, and what that means for visitors.
import { useEffect, useRef } from "react";
import { adviceFor } from "../../model/advice";
import { counted } from "../../model/format";
import { Notice, ProblemText } from "../../parts/Notice";
import { RefLink } from "../resource/cells";
import styles from "./publish.module.css";
import { hostOf } from "./plan";
import type { PublishState } from "./usePublish";

export function Stopped({ state }: { state: PublishState }) {
  const { failure, made, uncertain, isHalf } = state;
  const element = useRef<HTMLDivElement>(null);
  const midway = isHalf ? failure : null;
  useEffect(() => {
    if (midway !== null) element.current?.scrollIntoView({ block: "nearest" });
  }, [midway]);
  return (
    <div ref={element}>
      <Notice tone={isHalf ? "warn" : "bad"} title={titleOf(state)} alert>
        {failure && (
          <>
            {isHalf && (
              <p>
                {failure.kind} {failure.name} could not be {failure.verb}:
              </p>
            )}
            <ProblemText message={failure.message} advice={adviceFor(failure)} code={failure.code} />
          </>
        )}
        {made.length > 0 && (
          <>
            <p className={styles.so}>Created so far:</p>
            <ul className={styles.records}>
              {made.map(({ key, kind, name, id }) => (
                <li key={key}>
                  {kind} <RefLink id={id}>{name}</RefLink>
                </li>
              ))}
            </ul>
          </>
        )}
        {uncertain && (
          <p className={styles.so}>
            It is not known whether {uncertain.kind} {uncertain.name} was created, because the response was
            lost. This is checked first.
          </p>
        )}
        {isHalf && <p className={styles.so}>{effectOf(state)}</p>}
      </Notice>
    </div>
  );
}

function titleOf({ failure, isHalf, made, plan, remaining }: PublishState): string {
  if (!isHalf) return "The server refused the request";
  if (failure?.verb === "removed") return `${counted(made.length, "record")} could not be removed yet`;
  return `Publishing stopped: ${remaining.kept.length} of ${plan.steps.length} records are created`;
}

/** What visitors get until it is completed or removed. */
function effectOf({ made, answers }: PublishState): string {
  return made.some(({ key }) => key === "edge")
    ? `Visitors of ${hostOf(answers.hostport)} get 404 until the rest is created. Correct what is wrong and continue, or remove what was created.`
    : "Continue to create the rest, or remove what was created.";
}
