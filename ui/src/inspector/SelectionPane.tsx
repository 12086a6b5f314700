// Several requests at once: two are compared, any number can be worked on together.
import type { ReactNode } from "react";
import { counted } from "../model/format";
import { IconButton } from "../parts/Button";
import { useServices } from "../services";
import { DiffView } from "./diff/DiffView";
import styles from "./SelectionPane.module.css";

interface SelectionPaneProps {
  several: ReadonlySet<string>;
  onClose(): void;
  actions?: ReactNode;
}

export function SelectionPane({ several, onClose, actions }: SelectionPaneProps) {
  const { model } = useServices();
  const ids = [...several].toSorted(
    (a, b) => (model.exchanges.seqOf(a) ?? 0) - (model.exchanges.seqOf(b) ?? 0),
  );
  const [left, right] = ids;
  return (
    <section className={styles.pane} aria-label="Selected requests">
      <header className={styles.header}>
        <h2 className={styles.title}>{counted(ids.length, "request")} selected</h2>
        {actions}
        <IconButton label="Close the selection" icon="close" onClick={onClose} />
      </header>
      <div className={styles.content}>
        {ids.length === 2 && left !== undefined && right !== undefined ? (
          <DiffView key={`${left} ${right}`} left={left} right={right} />
        ) : (
          <p className={styles.hint}>Select two requests to compare them.</p>
        )}
      </div>
    </section>
  );
}
