// The selected requests sent again at a pace, with a table of what came back.
import { useEffect, useMemo, useState } from "react";
import type { Summary } from "../api/types";
import { count, duration } from "../model/format";
import { MAX_REPLAYS, ReplayMany, results, type Pace } from "../model/replayMany";
import { maskUrl } from "../model/secrets";
import { Button } from "../parts/Button";
import { Choice } from "../parts/Choice";
import { Field, Input } from "../parts/Field";
import { State } from "../parts/State";
import { useServices } from "../services";
import styles from "./ReplayManyView.module.css";
import { outcome } from "./outcome";

const TARGETS = [
  { value: "local", label: "To the local service" },
  { value: "edge", label: "Through the edge" },
] as const;
const FIELDS: readonly { name: keyof Pace; label: string; max: number }[] = [
  { name: "times", label: "Times each", max: MAX_REPLAYS },
  { name: "rate", label: "Requests per second", max: 100 },
  { name: "concurrency", label: "Concurrent requests", max: 50 },
];

export function ReplayManyView({ ids, onSelect }: { ids: readonly string[]; onSelect(id: string): void }) {
  const { model } = useServices();
  const [pace, setPace] = useState<Pace>({ times: 1, rate: 10, concurrency: 4 });
  const [through, setThrough] = useState<"local" | "edge">("local");
  const [run, setRun] = useState<ReplayMany | null>(null);
  const [, setVersion] = useState(0);
  useEffect(() => model.exchanges.listen(() => run && setVersion((before) => before + 1)), [model, run]);
  useEffect(() => () => run?.stop(), [run]);

  const total = Math.min(ids.length * pace.times, MAX_REPLAYS);
  const start = () => {
    const next = new ReplayMany(
      ids,
      pace,
      model.exchanges,
      (id) => model.api.replay({ id, through }),
      () => setVersion((before) => before + 1),
    );
    setRun(next);
    next.start();
  };
  return (
    <div className={styles.view}>
      <form
        className={styles.form}
        aria-label="Replay many"
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <div className={styles.numbers}>
          {FIELDS.map(({ name, label, max: most }) => (
            <Field key={name} label={label}>
              <Input
                type="number"
                min={1}
                max={most}
                required
                value={pace[name]}
                onChange={(event) =>
                  setPace({ ...pace, [name]: Math.min(Math.max(event.target.valueAsNumber || 1, 1), most) })
                }
              />
            </Field>
          ))}
        </div>
        <Choice legend="Target" value={through} options={TARGETS} onChange={(next) => setThrough(next)} />
        <div className={styles.start}>
          {run && !run.ended ? (
            <Button icon="close" onClick={() => run.stop()}>
              Stop
            </Button>
          ) : (
            <Button weight="primary" icon="replay" type="submit">
              Send {count(total)}
            </Button>
          )}
        </div>
      </form>
      {run && <Results run={run} onSelect={onSelect} />}
    </div>
  );
}

function Results({ run, onSelect }: { run: ReplayMany; onSelect(id: string): void }) {
  const { model } = useServices();
  const responses = run.sent.map((one) => run.responseTo(one)).filter((response) => response !== undefined);
  const refused = run.sent.filter(({ failed }) => failed !== null).length;
  const groups = useMemo(() => results(responses), [responses]);
  return (
    <>
      <p className={styles.sum} role="status">
        {count(run.sent.length)} of {count(run.total)} sent
        {run.ended && run.sent.length < run.total && ", then stopped"}
        {groups.map(({ response, count: many, p50, p95 }) => (
          <span key={response}>
            <b>{count(many)}</b> × {response}, median {duration(p50)}, p95 {duration(p95)}
          </span>
        ))}
        {refused > 0 && (
          <span>
            <b>{count(refused)}</b> could not be sent
          </span>
        )}
      </p>
      <table className={styles.table} aria-label="Results">
        <thead>
          <tr>
            <th scope="col">Request</th>
            <th scope="col">Response</th>
            <th scope="col">Duration</th>
          </tr>
        </thead>
        <tbody>
          {run.sent.map((one, index) => {
            const original = model.exchanges.find(one.original);
            return (
              // oxlint-disable-next-line react/no-array-index-key -- in the order they were sent
              <tr key={index}>
                <th scope="row">
                  {original?.method} {maskUrl(original?.path ?? "deleted meanwhile")}
                </th>
                <td>{one.failed ?? <Answer response={run.responseTo(one)} onSelect={onSelect} />}</td>
                <td>{duration(run.responseTo(one)?.duration ?? null)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

function Answer({ response, onSelect }: { response: Summary | undefined; onSelect(id: string): void }) {
  if (!response) return <>Sent</>;
  const { tone, icon, words } = outcome(response);
  return (
    <button type="button" className={styles.answer} onClick={() => onSelect(response.id)}>
      <State tone={tone} icon={icon}>
        {words}
      </State>
    </button>
  );
}
