// Several selected requests: two are compared; any number is replayed, pinned or deleted together.
import { useState } from "react";
import { counted } from "../model/format";
import { Button, IconButton } from "../parts/Button";
import { useServices } from "../services";
import { useActions } from "./actions";
import { DiffView } from "./diff/DiffView";
import { ReplayManyView } from "./ReplayManyView";
import styles from "./SelectionPane.module.css";

interface SelectionPaneProps {
  several: ReadonlySet<string>;
  onClose(): void;
  onSelect(id: string): void;
  onDelete(ids: readonly string[]): void;
}

export function SelectionPane({ several, onClose, onSelect, onDelete }: SelectionPaneProps) {
  const { model } = useServices();
  const { pin } = useActions();
  const [replaying, setReplaying] = useState(false);
  const order = (id: string) => model.exchanges.seqOf(id) ?? 0;
  const ids = [...several].toSorted((a, b) => order(a) - order(b));
  const [left, right] = ids;
  const two = ids.length === 2 && left !== undefined && right !== undefined;
  const pinned = ids.every((id) => model.exchanges.find(id)?.pinned);
  return (
    <section className={styles.pane} aria-label="Selected requests">
      <header className={styles.header}>
        <h2 className={styles.title} id="request-title" tabIndex={-1}>
          {counted(ids.length, "request")} selected
        </h2>
        <Button icon="replay" aria-pressed={replaying || !two} onClick={() => setReplaying(true)}>
          Replay many
        </Button>
        {two && (
          <Button aria-pressed={!replaying} onClick={() => setReplaying(false)}>
            Compare
          </Button>
        )}
        <Button icon="pin" aria-pressed={pinned} onClick={() => ids.forEach((id) => void pin(id, !pinned))}>
          Pin
        </Button>
        <IconButton label="Delete the selected requests" icon="trash" onClick={() => onDelete(ids)} />
        <IconButton label="Close the selection" icon="close" onClick={onClose} />
      </header>
      <div className={styles.content}>
        {two && !replaying ? (
          <DiffView key={`${left} ${right}`} left={left} right={right} />
        ) : (
          <ReplayManyView ids={ids} onSelect={onSelect} />
        )}
      </div>
    </section>
  );
}
