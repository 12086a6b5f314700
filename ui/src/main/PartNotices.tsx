// Says when a program the desktop app looks after is not running, and offers to start it again.
import type { DesktopState, Part } from "../host/host";
import { advice } from "../model/advice";
import { Button } from "../parts/Button";
import { Notice, ProblemText } from "../parts/Notice";
import { attempt, useServices } from "../services";
import styles from "./PartNotices.module.css";

export function PartNotices({ desktop }: { desktop: DesktopState | null }) {
  const { host } = useServices();
  if (!desktop) return null;
  const restart = (part: Part) => (
    <>
      <Button
        icon="refresh"
        onClick={() =>
          void attempt(`The ${part} could not be restarted`, async () => host.desktop?.restartPart(part))
        }
      >
        Restart the {part}
      </Button>
      <Button
        icon="open"
        onClick={() => void attempt("The logs could not be shown", async () => host.desktop?.revealLogs())}
      >
        Show logs
      </Button>
    </>
  );
  const parts: Part[] = ["server", "agent"];
  const failed = parts.filter((part) => desktop[part].state === "failed");
  if (failed.length === 0) return null;
  return (
    <div className={styles.notices}>
      {failed.map((part) => {
        const error = desktop[part].error;
        return (
          <Notice
            key={part}
            tone="bad"
            title={`The ${part === "server" ? "local server" : "agent"} is not running`}
            actions={restart(part)}
            alert
          >
            <ProblemText
              message={error?.message ?? "It ended and could not be started again."}
              advice={error ? advice(error.code) : null}
              code={error?.code ?? ""}
            />
          </Notice>
        );
      })}
    </div>
  );
}
