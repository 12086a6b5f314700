// The path of the active row, and the copying of its path and value.
import { Button } from "../../parts/Button";
import { useCopy } from "../../services";
import type { ReadingHandle } from "./readingHandle";
import styles from "./RowsView.module.css";

/** Maximum number of characters that are shown of a path. */
const MAX_PATH_LENGTH = 2_000;

/** A row and its path; a row of a comparison has none. */
export interface RowPath {
  row: number;
  path: string | null;
}

export function RowStatus({ handle, active }: { handle: ReadingHandle; active: RowPath | null }) {
  const copy = useCopy();
  if (active === null)
    return (
      <div className={styles.status}>
        <span className={styles.hint}>Select a row to copy its value or its path.</span>
      </div>
    );
  const { row, path } = active;
  const copyValue = () =>
    handle.text(row).then(
      (text) => copy(text, "Value"),
      () => {},
    );
  return (
    <div className={styles.status}>
      <bdi className={styles.path}>{(path ?? "").slice(0, MAX_PATH_LENGTH)}</bdi>
      {path !== null && (
        <Button weight="quiet" icon="copy" onClick={() => void copy(path, "Path")}>
          Copy path
        </Button>
      )}
      <Button weight="quiet" icon="copy" onClick={() => void copyValue()}>
        Copy value
      </Button>
    </div>
  );
}
