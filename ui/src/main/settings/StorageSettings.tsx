// The disk space used on this computer, and the latest lines of the logs.
import { useCallback, useEffect, useState } from "react";
import type { DataSize, LogSource } from "../../api/desktop.generated";
import type { Desktop } from "../../host/host";
import { size } from "../../model/format";
import { Button } from "../../parts/Button";
import { Choice } from "../../parts/Choice";
import { attempt, useAgent, useCopy } from "../../services";
import styles from "../Settings.module.css";

const PROGRAMS: readonly { value: LogSource; label: string }[] = [
  { value: "agent", label: "Agent" },
  { value: "server", label: "Server" },
  { value: "app", label: "App" },
];

export function StorageSettings({ app }: { app: Desktop }) {
  const { status } = useAgent();
  const copy = useCopy();
  const [sizes, setSizes] = useState<DataSize[] | null>(null);
  const [program, setProgram] = useState<LogSource>("agent");
  const [log, setLog] = useState<string | null>(null);

  useEffect(() => {
    void attempt("The disk usage could not be determined", async () => setSizes(await app.dataSizes()));
  }, [app]);
  const read = useCallback(() => {
    void attempt("The log could not be loaded", async () => setLog(await app.logEnd(program)));
  }, [app, program]);
  useEffect(read, [read]);

  const capture = status?.capture;
  return (
    <>
      <section className={styles.section} aria-labelledby="sizes-title">
        <h2 id="sizes-title" className={styles.title}>
          Data on this computer
        </h2>
        <dl className={styles.facts}>
          {sizes?.map(({ what, path, bytes }) => (
            <div key={what} className={styles.row}>
              <dt>{what}</dt>
              <dd>
                {size(bytes)} <code>{path}</code>
              </dd>
            </div>
          ))}
          {capture && (
            <div className={styles.row}>
              <dt>Captured requests</dt>
              <dd>
                {size(capture.bytes)} of {size(capture.limit)}, in memory only. The limit is{" "}
                <code>inspect_db_size</code> of the configuration.
              </dd>
            </div>
          )}
        </dl>
      </section>
      <section className={styles.section} aria-labelledby="logs-title">
        <h2 id="logs-title" className={styles.title}>
          Logs
        </h2>
        <Choice<LogSource> legend="Program" value={program} options={PROGRAMS} onChange={setProgram} />
        <textarea
          className={styles.editor}
          aria-label="Latest lines of the log"
          readOnly
          wrap="off"
          rows={12}
          value={log === null ? "Loading…" : log === "" ? "The log is empty." : log}
        />
        <div className={styles.buttons}>
          <Button icon="refresh" onClick={read}>
            Reload
          </Button>
          <Button icon="copy" onClick={() => void copy(log ?? "", "Log")}>
            Copy
          </Button>
          <Button
            icon="open"
            onClick={() => void attempt("The logs could not be shown", () => app.revealLogs())}
          >
            Show the files
          </Button>
        </div>
      </section>
    </>
  );
}
