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
  const { row, path } = active ?? { row: 0, path: null };
  const copyValue = () =>
    handle.text(row).then(
      (text) => copy(text, "Value"),
      () => {},
    );
  const title = active === null ? "Select a row to copy its value or its path" : undefined;
  return (
    <>
      <bdi className={styles.path} title={path ?? undefined}>
        {(path ?? "").slice(0, MAX_PATH_LENGTH)}
      </bdi>
      {/* A row of a comparison has no path. */}
      {(active === null || path !== null) && (
        <Button
          weight="quiet"
          icon="copy"
          title={title}
          aria-disabled={active === null || undefined}
          onClick={() => path !== null && void copy(path, "Path")}
        >
          Copy path
        </Button>
      )}
      <Button
        weight="quiet"
        icon="copy"
        title={title}
        aria-disabled={active === null || undefined}
        onClick={() => active !== null && void copyValue()}
      >
        Copy value
      </Button>
    </>
  );
}
