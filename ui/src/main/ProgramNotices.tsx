// Shown when a program of the desktop app is not running, with a button to start it again.
import type { DesktopState, Program } from "../host/host";
import { useState } from "react";
import { adviceFor } from "../model/advice";
import { secondsUntil } from "../model/format";
import { useNow } from "../parts/hooks";
import { Button } from "../parts/Button";
import { Notice, ProblemText } from "../parts/Notice";
import { attempt, useServices } from "../services";
import styles from "./ProgramNotices.module.css";

const PROGRAM_NAMES: Record<Program, string> = { server: "local server", agent: "agent" };

export function ProgramNotices({ desktop }: { desktop: DesktopState | null }) {
  const [read, setRead] = useState<readonly string[]>([]);
  if (!desktop) return null;
  const parts: Program[] = ["server", "agent"];
  const failed = parts.filter((part) => desktop[part].state === "failed");
  const notices = parts
    .flatMap((part) => desktop[part].notice ?? [])
    .filter((notice) => !read.includes(notice));
  if (failed.length === 0 && notices.length === 0) return null;
  return (
    <div className={styles.notices}>
      {failed.map((part) => (
        <FailedProgram key={part} part={part} desktop={desktop} />
      ))}
      {notices.map((notice) => (
        <Notice
          key={notice}
          tone="info"
          title={notice}
          actions={<Button onClick={() => setRead([...read, notice])}>Dismiss</Button>}
        />
      ))}
    </div>
  );
}

function FailedProgram({ part, desktop }: { part: Program; desktop: DesktopState }) {
  const { host } = useServices();
  const { error, next_try: next } = desktop[part];
  const now = useNow(250, next !== null);
  const seconds = next === null ? 0 : secondsUntil(next, now);
  return (
    <Notice
      tone="bad"
      title={`The ${PROGRAM_NAMES[part]} is not running`}
      alert
      actions={
        <>
          <Button
            icon="refresh"
            onClick={() =>
              void attempt(`The ${PROGRAM_NAMES[part]} could not be restarted`, async () =>
                host.desktop?.restartPart(part),
              )
            }
          >
            Restart the {PROGRAM_NAMES[part]}
          </Button>
          <Button
            icon="open"
            onClick={() =>
              void attempt("The logs could not be shown", async () => host.desktop?.revealLogs())
            }
          >
            Show logs
          </Button>
        </>
      }
    >
      <ProblemText
        message={error?.message ?? "It ended and could not be restarted."}
        advice={error ? adviceFor(error) : null}
        code={error?.code ?? ""}
      />
      {seconds > 0 && (
        <p className={styles.next} role="timer" aria-live="off">
          Next attempt in {seconds} s
        </p>
      )}
    </Notice>
  );
}
