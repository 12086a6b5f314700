// How full the agent's capture store is, and the age of its oldest request.
import { clock, count, size } from "../model/format";
import { useAgent } from "../services";
import styles from "./MemoryGauge.module.css";

export function MemoryGauge() {
  const { status } = useAgent();
  if (!status) return null;
  const { bytes, limit, count: stored, dropped, oldest, pinned = 0 } = status.capture;
  const share = limit > 0 ? Math.min(bytes / limit, 1) : 0;
  const words = `${size(bytes)} of ${size(limit)}`;
  const facts = [
    `${count(stored)} requests are stored`,
    ...(pinned > 0 ? [`${count(pinned)} of them pinned, which are evicted last`] : []),
    dropped > 0
      ? `${count(dropped)} older ones were evicted; raise inspect_db_size to keep more`
      : "none evicted yet",
  ];
  return (
    <span className={styles.gauge} title={`${facts.join("; ")}.`}>
      <span
        className={styles.meter}
        role="meter"
        aria-label="Memory for captured requests"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={words}
      >
        <span
          className={`${styles.fill} ${share > 0.9 ? styles.full : ""}`}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      <span>{words}</span>
      {oldest !== null && <span>oldest kept: {clock(oldest).slice(0, 5)}</span>}
    </span>
  );
}
