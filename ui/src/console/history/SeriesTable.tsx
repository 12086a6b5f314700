// The intervals with traffic as a table, newest first.
import { useState } from "react";
import type { TrafficSeries } from "../../api/generated";
import { count, size } from "../../model/format";
import { Button } from "../../parts/Button";
import { OUTCOMES, PERCENTILES, latencyOf, timeText, type Passing } from "./series";
import styles from "./TrafficHistory.module.css";

/** Rows at first, and more at each request. */
const ROWS = 50;

export function SeriesTable({ series, passing }: { series: TrafficSeries; passing: Passing }) {
  const [limit, setLimit] = useState(ROWS);
  const outcomes = OUTCOMES.toReversed();
  const { intervals, step } = series;
  if (intervals.length === 0) return null;
  return (
    <>
      <div className={styles.scroll}>
        <table className={styles.table} aria-label={`Traffic by ${step}`}>
          <thead>
            <tr>
              <th scope="col">{step === "minute" ? "Minute" : "Hour"}</th>
              <th scope="col">{passing === "request" ? "Requests" : "Connections"}</th>
              {outcomes.map((outcome) => (
                <th scope="col" key={outcome.name}>
                  {outcome.label}
                </th>
              ))}
              <th scope="col">In</th>
              <th scope="col">Out</th>
              {PERCENTILES.map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {intervals
              .slice(-limit)
              .toReversed()
              .map((traffic) => (
                <tr key={traffic.at}>
                  <th scope="row">{timeText(Date.parse(traffic.at))}</th>
                  <td>{count(traffic.requests)}</td>
                  {outcomes.map(({ name }) => (
                    <td key={name}>{count(traffic[name])}</td>
                  ))}
                  <td>{size(traffic.bytes_in)}</td>
                  <td>{size(traffic.bytes_out)}</td>
                  {PERCENTILES.map((name) => (
                    <td key={name}>{traffic.latency ? latencyOf(traffic.latency[name]) : ""}</td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      {intervals.length > limit && (
        <div>
          <Button weight="quiet" onClick={() => setLimit(limit + ROWS)}>
            Show more ({count(intervals.length - limit)} left)
          </Button>
        </div>
      )}
    </>
  );
}
