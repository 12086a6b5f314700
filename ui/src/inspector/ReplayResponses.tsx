// The responses to a replayed request: one in full, all of them in a row to choose from.
import { useState } from "react";
import { clock, duration, size } from "../model/format";
import { tunnelName } from "../model/filter";
import { maskUrl } from "../model/secrets";
import { Button } from "../parts/Button";
import { State } from "../parts/State";
import { BodyView } from "./bodies/BodyView";
import { DiffView } from "./diff/DiffView";
import styles from "./ReplayResponses.module.css";
import { outcome } from "./outcome";
import { isComplete } from "./useDetail";
import { useReplays } from "./useReplays";

interface ReplayResponsesProps {
  of: string;
  /** The latest replay, as far as the agent has named it. */
  latest: string | null;
  onSelect(id: string): void;
}

export function ReplayResponses({ of, latest, onSelect }: ReplayResponsesProps) {
  const replays = useReplays(of);
  const [chosen, setChosen] = useState<{ id: string; after: string | null } | null>(null);
  const [compared, setCompared] = useState(false);
  // A choice lasts until the next replay.
  const chosenId = chosen?.after === latest ? chosen.id : latest;
  const shown = replays.find(({ id }) => id === chosenId) ?? replays[0];
  if (!shown) {
    return (
      <section className={styles.attempts} aria-label="Responses">
        <p className={styles.none}>Send the request to see its response here.</p>
      </section>
    );
  }
  const { tone, icon, words } = outcome(shown);
  return (
    <section className={styles.attempts} aria-label="Responses">
      <div className={styles.head} aria-live="polite">
        <State tone={tone} icon={icon}>
          {words}
        </State>
        <span>{duration(shown.duration)}</span>
        <span>{size(shown.response_size)}</span>
        <span>{shown.replay_through === "edge" ? "through the edge" : "from the local service"}</span>
        <span className={styles.actions}>
          <Button weight="quiet" aria-pressed={compared} onClick={() => setCompared(!compared)}>
            Compare
          </Button>
          <Button weight="quiet" icon="open" onClick={() => onSelect(shown.id)}>
            Open
          </Button>
        </span>
      </div>
      <div className={styles.answer}>
        {compared ? (
          <DiffView key={shown.id} left={of} right={shown.id} />
        ) : (
          <BodyView key={shown.id} id={shown.id} side="response" complete={isComplete(shown)} />
        )}
      </div>
      {replays.length > 1 && (
        <ol className={styles.history} aria-label="Attempts, newest first">
          {replays.slice(0, 50).map((replay) => (
            <li key={replay.id}>
              <button
                type="button"
                aria-pressed={replay.id === shown.id}
                onClick={() => setChosen({ id: replay.id, after: latest })}
              >
                <State tone={outcome(replay).tone} icon={outcome(replay).icon}>
                  {outcome(replay).short}
                </State>
                <span>{replay.method}</span>
                <span className={styles.path}>{maskUrl(replay.path)}</span>
                <span>{tunnelName(replay.tunnel_name)}</span>
                <span>{duration(replay.duration)}</span>
                <span>{clock(replay.start)}</span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
