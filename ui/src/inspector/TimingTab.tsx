// The time of an exchange, phase by phase, including those that only a tunnel can measure.
import type { Detail } from "../model/details";
import { duration } from "../model/format";
import { timingPhases, totalDuration, type TimingPhase } from "../model/timing";
import styles from "./TimingTab.module.css";

const PLACE_LABELS = { edge: "Edge", tunnel: "Tunnel", service: "Local service" } as const;

export function TimingTab({ detail }: { detail: Detail }) {
  const { timing, trace } = detail.captured;
  const phases = timing ? timingPhases(timing) : [];
  if (phases.length === 0) return <p className={styles.none}>There are no measurements for this request.</p>;
  const end = Math.max(totalDuration(phases), 1);
  return (
    <>
      <table className={styles.waterfall} aria-label="Timing">
        <thead>
          <tr>
            <th scope="col">Phase</th>
            <th scope="col">Place</th>
            <th scope="col" className={styles.took}>
              Duration
            </th>
            <th scope="col">
              <span className="unseen">Time since arrival at the edge</span>
              <span className={styles.scale} aria-hidden="true">
                <span>0</span>
                <span>{duration(end)}</span>
              </span>
            </th>
          </tr>
        </thead>
        <tbody>
          {phases.map((phase) => (
            <Row key={phase.name} phase={phase} end={end} />
          ))}
        </tbody>
      </table>
      {timing?.edge === null && (
        <p className={styles.none}>
          {trace
            ? "There is no measurement from the edge."
            : "The time before the agent is unknown: the edge had no decision to make, or the request did not pass through it."}
        </p>
      )}
      {timing?.last_byte === null ? (
        <p className={styles.none}>The response is not complete yet.</p>
      ) : (
        <p className={styles.none}>
          {`The last byte of the response left the local service after ${duration(end)}. `}
          The way back to the visitor is not measured.
        </p>
      )}
    </>
  );
}

function Row({ phase, end }: { phase: TimingPhase; end: number }) {
  const { name, means, from, took, where, part } = phase;
  return (
    <tr className={part ? styles.part : undefined}>
      <th scope="row" title={means}>
        {name}
        <span className={styles.means}>{means}</span>
      </th>
      <td>{PLACE_LABELS[where]}</td>
      <td className={styles.took}>{brief(took)}</td>
      <td className={styles.line}>
        <span className="unseen">begins after {brief(from)}</span>
        <span
          className={`${styles.bar} ${styles[where]}`}
          style={{ marginLeft: `${(from / end) * 100}%`, width: `${(took / end) * 100}%` }}
        />
      </td>
    </tr>
  );
}

function brief(nanoseconds: number): string {
  return nanoseconds < 1e6 ? `${Math.round(nanoseconds / 1000)} µs` : duration(nanoseconds);
}
