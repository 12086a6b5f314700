// Two exchanges side by side: start lines, headers regardless of order, bodies by their kind.
import { useEffect, useState } from "react";
import { asProblem } from "../../api/problem";
import type { Problem } from "../../api/types";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import { Notice, ProblemText } from "../../parts/Notice";
import { useServices } from "../../services";
import { readSide, type BodyOf, type SideName } from "../bodies/message";
import { BodyDiff } from "./BodyDiff";
import styles from "./DiffView.module.css";
import { HeadDiff } from "./HeadDiff";

type Both = { before: BodyOf | null; after: BodyOf | null };
type Reading = { state: "reading" } | { state: "read"; both: Both } | { state: "failed"; problem: Problem };

/** `left` and `right` are ids of exchanges, the older one first. */
export function DiffView({ left, right }: { left: string; right: string }) {
  const { host, model } = useServices();
  const [side, setSide] = useState<SideName>("response");
  const [loaded, setLoaded] = useState<{ of: string; reading: Reading } | null>(null);
  const of = `${left} ${right} ${side}`;
  useEffect(() => {
    let active = true;
    Promise.all([readSide({ host, model }, left, side), readSide({ host, model }, right, side)]).then(
      ([before, after]) =>
        active &&
        setLoaded({ of, reading: { state: "read", both: { before: before.body, after: after.body } } }),
      (thrown: unknown) =>
        active && setLoaded({ of, reading: { state: "failed", problem: asProblem(thrown) } }),
    );
    return () => {
      active = false;
    };
  }, [host, model, left, right, side, of]);
  const reading: Reading = loaded?.of === of ? loaded.reading : { state: "reading" };
  const names = [left, right].map((id) => {
    const summary = model.exchanges.find(id);
    return summary ? `${summary.method} ${summary.path}` : id;
  });
  return (
    <div className={styles.diff}>
      <div className={styles.bar}>
        <div className={styles.sides} role="group" aria-label="Side to compare">
          {(["request", "response"] as const).map((name) => (
            <Button key={name} aria-pressed={side === name} onClick={() => setSide(name)}>
              {name === "request" ? "Request" : "Response"}
            </Button>
          ))}
        </div>
        <p className={styles.names}>
          <bdi>{names[0]}</bdi> <span aria-hidden="true">→</span>
          <span className="unseen">compared with</span> <bdi>{names[1]}</bdi>
        </p>
      </div>
      <Shown reading={reading} side={side} />
    </div>
  );
}

function Shown({ reading, side }: { reading: Reading; side: SideName }) {
  if (reading.state === "reading") return <p className={styles.none}>Loading…</p>;
  if (reading.state === "failed")
    return (
      <Notice tone="bad" title="These requests cannot be compared">
        <ProblemText
          message={reading.problem.message}
          advice={adviceFor(reading.problem)}
          code={reading.problem.code}
        />
      </Notice>
    );
  const { before, after } = reading.both;
  if (before === null || after === null)
    return (
      <p className={styles.none}>
        {before === null && after === null
          ? `Neither request has a ${side}.`
          : `The ${before === null ? "first" : "second"} request has no ${side}.`}
      </p>
    );
  return (
    <div className={styles.parts}>
      <HeadDiff before={before} after={after} />
      <BodyDiff before={before} after={after} side={side} />
    </div>
  );
}
