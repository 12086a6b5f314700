// Two bodies compared in the worker: as JSON values, as fields of protocol buffers, as lines of text, or as bytes.
import { useEffect, useMemo, useState } from "react";
import { size } from "../../model/format";
import { Button } from "../../parts/Button";
import { WorkerClient } from "../bodies/workerClient";
import { ReadingHandle } from "../bodies/readingHandle";
import type { BodyOf, SideName } from "../bodies/message";
import { RowsView } from "../bodies/RowsView";
import { NO_DECLARATIONS, useProtoFiles } from "../bodies/useProto";
import { messageOf } from "../bodies/useReading";
import styles from "./DiffView.module.css";
import { kindOfMessages, messageReadingOf, sideOf } from "./bodySide";
import type { Comparison } from "./reading/compare";

type LoadedBodies = { kind: Comparison["kind"]; changes: number; notes: string[]; handle: ReadingHandle };
type Comparing =
  { state: "comparing" } | { state: "known"; loaded: LoadedBodies } | { state: "failed"; message: string };

export function BodyDiff({ before, after, side }: { before: BodyOf; after: BodyOf; side: SideName }) {
  const protos = useProtoFiles();
  const [byLines, setByLines] = useState(false);
  const given = useMemo(
    () => ({ before, after, byLines, side, protos }),
    [before, after, byLines, side, protos],
  );
  const [now, setNow] = useState<{ of: typeof given; comparing: Comparing } | null>(null);
  useEffect(() => {
    let active = true;
    const worker = new WorkerClient();
    const settle = (comparing: Comparing) => active && setNow({ of: given, comparing });
    const compare = async () => {
      const bodies = [given.before, given.after] as const;
      const { files } = given.protos;
      const isDeclared = files.length > 0 && bodies.some((body) => kindOfMessages(body) !== null);
      const declared = isDeclared ? await worker.call("declare", files) : NO_DECLARATIONS;
      const read = async (body: BodyOf) =>
        sideOf(body, given.byLines, messageReadingOf(body, given.side, declared, given.protos));
      const [one, other] = await Promise.all([read(bodies[0]), read(bodies[1])]);
      const { reading, count, ...rest } = await worker.call("compare", one, other);
      settle({ state: "known", loaded: { ...rest, handle: new ReadingHandle(worker, reading, count) } });
    };
    compare().catch((thrown: unknown) => settle({ state: "failed", message: messageOf(thrown) }));
    return () => {
      active = false;
      worker.close();
    };
  }, [given]);
  const comparing: Comparing = now?.of === given ? now.comparing : { state: "comparing" };
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
