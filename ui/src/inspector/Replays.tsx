// The replays of one exchange with their responses, updated as they arrive.
import { clock, duration } from "../model/format";
import { tunnelName } from "../model/filter";
import { State } from "../parts/State";
import styles from "./Replays.module.css";
import { outcome } from "./outcome";
import { useReplays } from "./useReplays";

const SHOWN = 5;

export function Replays({ of, onSelect }: { of: string; onSelect(id: string): void }) {
  const replays = useReplays(of);
  if (replays.length === 0) return null;
  return (
    <div className={styles.replays} aria-live="polite">
      <h3 className={styles.title}>
        {replays.length > SHOWN ? `Last ${SHOWN} of ${replays.length} replays` : "Replays"}
      </h3>
      <ul>
        {replays.slice(0, SHOWN).map((summary) => {
          const { id } = summary;
          const { tone, icon, words } = outcome(summary);
          return (
            <li key={id}>
              <button type="button" className={styles.replay} onClick={() => onSelect(id)}>
                <State tone={tone} icon={icon}>
                  {words}
                </State>
                <span>{tunnelName(summary.tunnel_name)}</span>
                <span>{duration(summary.duration)}</span>
                <span className={styles.time}>{clock(summary.start, true)}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
