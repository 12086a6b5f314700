// The plan beside the form: what will be created, what exists already, and how far it is carried out.
import { useState } from "react";
import { Check } from "../../parts/Check";
import { IconButton } from "../../parts/Button";
import type { IconName } from "../../parts/Icon";
import { Icon } from "../../parts/Icon";
import { useCopy } from "../../services";
import { useApiAddress } from "../management";
import { RefLink } from "../resource/cells";
import type { Step } from "./plan";
import styles from "./publish.module.css";
import { hasSecrets, planScript } from "./script";
import { summaryOf } from "./summary";
import type { PublishState } from "./usePublish";

type Progress = "planned" | "creating" | "created" | "failed" | "unknown";

const PROGRESS: Record<Progress, { icon: IconName; words: string }> = {
  planned: { icon: "add", words: "Create" },
  creating: { icon: "refresh", words: "Creating" },
  created: { icon: "check", words: "Created:" },
  failed: { icon: "cross", words: "Not created:" },
  unknown: { icon: "question", words: "Unknown:" },
};

export function PlanView({ state }: { state: PublishState }) {
  const { address, answers, plan, remaining } = state;
  return (
    <aside className={styles.plan} aria-label="Plan">
      <h2 className={styles.title}>Plan</h2>
      <p className={styles.address}>{address || "https://…"}</p>
      <p className={styles.summary}>{summaryOf(answers)}</p>
      <ol className={styles.steps}>
        {remaining.stale.map(({ key, kind, name }) => (
          <li key={`stale ${key}`} className={styles.step} data-progress="failed">
            <Icon name="trash" />
            <span>
              Remove {kind} <b>{name}</b>
            </span>
          </li>
        ))}
        {plan.uses.map(({ id, kind, name }) => (
          <li key={id || kind} className={styles.step} data-progress="created">
            <Icon name="link" />
            <span>
              Use existing {inside(kind)} {id === "" ? "…" : <RefLink id={id}>{name || id}</RefLink>}
            </span>
          </li>
        ))}
        {plan.steps.map((step) => (
          <StepItem key={step.key} step={step} state={state} />
        ))}
      </ol>
      <Commands state={state} />
    </aside>
  );
}

function StepItem({ step, state }: { step: Step; state: PublishState }) {
  const progress = progressOf(step, state);
  const { icon, words } = PROGRESS[progress];
  return (
    <li className={styles.step} data-progress={progress}>
      <Icon name={icon} />
      <span>
        {words} {inside(step.kind)} <b>{step.name || "…"}</b>
      </span>
    </li>
  );
}

function progressOf({ key }: Step, { at, failure, phase, remaining, uncertain }: PublishState): Progress {
  if (remaining.kept.some((record) => record.key === key)) return "created";
  if (phase === "creating" && at === key) return "creating";
  if (uncertain?.key === key) return "unknown";
  return failure?.key === key && failure.verb === "created" ? "failed" : "planned";
}

/** A kind inside a sentence: abbreviations keep their letters. */
function inside(kind: string): string {
  return /^[A-Z][a-z]/.test(kind) ? kind.charAt(0).toLowerCase() + kind.slice(1) : kind;
}

/** The same calls for a terminal. */
function Commands({ state: { plan } }: { state: PublishState }) {
  const base = useApiAddress();
  const copy = useCopy();
  const [isRevealed, setRevealed] = useState(false);
  const text = planScript(plan, base, isRevealed);
  return (
    <details className={styles.commands}>
      <summary>API requests</summary>
      <div className={styles.box}>
        <pre className={styles.script} tabIndex={0} role="region" aria-label="curl commands">
          {text}
        </pre>
        <IconButton
          className={styles.copy}
          icon="copy"
          label="Copy the curl commands"
          onClick={() => void copy(text, "The curl commands")}
        />
      </div>
      {hasSecrets(plan) && <Check label="Include secrets" checked={isRevealed} onChange={setRevealed} />}
    </details>
  );
}
