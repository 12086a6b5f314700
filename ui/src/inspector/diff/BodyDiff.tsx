// Two bodies compared in the worker: as JSON values, as lines of text, or as bytes.
import { useEffect, useState } from "react";
import { size } from "../../model/format";
import { headerValue, mediaType } from "../../model/httpMessage";
import { Button } from "../../parts/Button";
import { WorkerClient } from "../bodies/workerClient";
import { ReadingHandle } from "../bodies/readingHandle";
import type { BodyOf } from "../bodies/message";
import { codingsOf } from "../bodies/reading/contentEncoding";
import { RowsView } from "../bodies/RowsView";
import { messageOf } from "../bodies/useReading";
import styles from "./DiffView.module.css";
import type { Comparison, BodySide } from "./reading/compare";

/** Maximum number of bytes of each body that are compared. */
const MAX_COMPARED_BYTES = 4 * 1024 * 1024;

type LoadedBodies = { kind: Comparison["kind"]; changes: number; notes: string[]; handle: ReadingHandle };
type Comparing =
  { state: "comparing" } | { state: "known"; loaded: LoadedBodies } | { state: "failed"; message: string };

export function BodyDiff({ before, after, side }: { before: BodyOf; after: BodyOf; side: string }) {
  const [byLines, setByLines] = useState(false);
  const [now, setNow] = useState<{ byLines: boolean; of: BodyOf; comparing: Comparing } | null>(null);
  useEffect(() => {
    let active = true;
    const worker = new WorkerClient();
    const settle = (comparing: Comparing) => active && setNow({ byLines, of: before, comparing });
    const compare = async () => {
      const [one, other] = await Promise.all([sideOf(before, byLines), sideOf(after, byLines)]);
      const { reading, count, ...rest } = await worker.call("compare", one, other);
      settle({ state: "known", loaded: { ...rest, handle: new ReadingHandle(worker, reading, count) } });
    };
    compare().catch((thrown: unknown) => settle({ state: "failed", message: messageOf(thrown) }));
    return () => {
      active = false;
      worker.close();
    };
  }, [before, after, byLines]);
  const comparing: Comparing =
    now?.of === before && now.byLines === byLines ? now.comparing : { state: "comparing" };
  const loaded = comparing.state === "known" ? comparing.loaded : null;
  const lengths = `${size(before.windows.length)} → ${size(after.windows.length)}`;
  return (
    <section className={styles.bodyDiff} aria-label="Differences in the body">
      <div className={styles.title}>
        <h3>Body</h3>
        <span>
          {loaded && `${differenceCount(loaded)}, `}
          {lengths}
        </span>
        {(loaded?.kind === "values" || byLines) && (
          <Button weight="quiet" aria-pressed={byLines} onClick={() => setByLines(!byLines)}>
            {byLines ? "By value" : "By line"}
          </Button>
        )}
      </div>
      {loaded !== null && loaded.notes.length > 0 && <p className={styles.notes}>{loaded.notes.join(" ")}</p>}
      {comparing.state === "comparing" && <p className={styles.none}>Comparing…</p>}
      {comparing.state === "failed" && <p className={styles.none}>{comparing.message}</p>}
      {loaded !== null && loaded.handle.count > 0 && (
        <div className={styles.rows}>
          <RowsView
            handle={loaded.handle}
            rowStyle="changes"
            folds={loaded.kind === "lines"}
            label={`Differences in the ${side} body`}
          />
        </div>
      )}
    </section>
  );
}

function differenceCount({ kind, changes }: LoadedBodies): string {
  if (kind === "same" || changes === 0) return "identical";
  if (kind === "bytes") return "the bytes differ";
  const what = kind === "values" ? "value" : "line";
  return `${changes.toLocaleString("en")} ${what}${changes === 1 ? " differs" : "s differ"}`;
}

async function sideOf({ windows, headers, cut }: BodyOf, byLines: boolean): Promise<BodySide> {
  const media = mediaType(headerValue(headers, "content-type"));
  return {
    bytes: await windows.read(0, Math.min(windows.length, MAX_COMPARED_BYTES)),
    codings: codingsOf(headerValue(headers, "content-encoding")),
    charset: media.parameters.get("charset") ?? null,
    cut: cut || windows.length > MAX_COMPARED_BYTES,
    byLines,
  };
}
