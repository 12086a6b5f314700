// Shown when a program of the desktop app is not running, with a button to start it again.
import type { DesktopState, ProgramName } from "../api/desktop.generated";
import { useState } from "react";
import { adviceFor } from "../model/advice";
import { secondsUntil } from "../model/format";
import { useNow } from "../parts/hooks";
import { Button } from "../parts/Button";
import { Notice, ProblemText } from "../parts/Notice";
import { attempt, useServices } from "../services";
import styles from "./ProgramNotices.module.css";

const PROGRAM_NAMES: Record<ProgramName, string> = { server: "local server", agent: "agent" };

export function ProgramNotices({ desktop }: { desktop: DesktopState | null }) {
  const [read, setRead] = useState<readonly string[]>([]);
  if (!desktop) return null;
  const programs: ProgramName[] = ["server", "agent"];
  const failed = programs.filter((program) => desktop[program].state === "failed");
  const notices = programs
    .flatMap((program) => desktop[program].notice ?? [])
    .filter((notice) => !read.includes(notice));
  if (failed.length === 0 && notices.length === 0) return null;
  return (
    <div className={styles.notices}>
      {failed.map((program) => (
        <FailedProgram key={program} program={program} desktop={desktop} />
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

function FailedProgram({ program, desktop }: { program: ProgramName; desktop: DesktopState }) {
  const { host } = useServices();
  const { error, next_try: next } = desktop[program];
  const now = useNow(250, next !== null);
  const seconds = next === null ? 0 : secondsUntil(next, now);
  return (
    <Notice
      tone="bad"
      title={`The ${PROGRAM_NAMES[program]} is not running`}
      alert
      actions={
        <>
          <Button
            icon="refresh"
            onClick={() =>
              void attempt(`The ${PROGRAM_NAMES[program]} could not be restarted`, async () =>
                host.desktop?.restartPart(program),
              )
            }
          >
            Restart the {PROGRAM_NAMES[program]}
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
