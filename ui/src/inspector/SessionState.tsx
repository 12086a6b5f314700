// The state of the agent's session in one line, and a notice with the reason and the next attempt.
import type { ReactNode } from "react";
import type { Session } from "../api/types";
import { adviceFor } from "../model/advice";
import type { AgentSnapshot } from "../model/agentModel";
import { duration, secondsUntil } from "../model/format";
import { useNow } from "../parts/hooks";
import type { IconName } from "../parts/Icon";
import { Notice, ProblemText, type Tone } from "../parts/Notice";
import { Prose } from "../parts/Prose";
import { State } from "../parts/State";
import { useAgent } from "../services";
import styles from "./SessionState.module.css";

interface SessionStatus {
  tone: Tone | "idle";
  icon: IconName;
  words: string;
  busy?: boolean;
}

export function sessionStatus({
  connection,
  status,
}: Pick<AgentSnapshot, "connection" | "status">): SessionStatus {
  if (connection === "connecting")
    return { tone: "idle", icon: "refresh", words: "Connecting to the agent", busy: true };
  if (connection === "lost" || !status) return { tone: "bad", icon: "cross", words: "Agent not reachable" };
  switch (status.session.state) {
    case "online":
      return { tone: "ok", icon: "check", words: "Online" };
    case "connecting":
      return { tone: "info", icon: "refresh", words: "Connecting", busy: true };
    case "waiting":
      return { tone: "warn", icon: "clock", words: "Offline" };
    case "refused":
      return { tone: "bad", icon: "cross", words: "Refused by the server" };
  }
}

export function SessionState() {
  const agent = useAgent();
  const { tone, icon, words, busy = false } = sessionStatus(agent);
  const session = agent.connection === "live" ? agent.status?.session : undefined;
  const leg = session?.state === "online" ? session.legs[0] : undefined;
  return (
    <span className={styles.session}>
      <span role="status" className={styles.state}>
        <State tone={tone} icon={icon} busy={busy}>
          {words}
        </State>
      </span>
      {session && <span className={styles.server}>{session.server_addr}</span>}
      {leg && <span className={styles.latency}>{duration(leg.round_trip)}</span>}
    </span>
  );
}

/** Shown above everything while the agent is unreachable or its session is down. */
export function ConnectionNotice({ actions }: { actions?: ReactNode }) {
  const { connection, status, problem } = useAgent();
  if (connection === "lost") {
    const code = problem?.code ?? "AGENT_UNREACHABLE";
    return (
      <div className={styles.notice}>
        <Notice tone="bad" title="The agent does not respond" actions={actions} alert>
          <ProblemText
            message={
              problem && code !== "AGENT_UNREACHABLE" ? problem.message : "The page may be out of date."
            }
            advice={adviceFor({ code: "AGENT_UNREACHABLE", message: "" })}
            code={code === "AGENT_UNREACHABLE" ? "" : code}
          />
        </Notice>
      </div>
    );
  }
  const session = status?.session;
  if (
    connection !== "live" ||
    !session ||
    session.state === "online" ||
    (session.state === "connecting" && !session.reason)
  )
    return null;
  return (
    <div className={styles.notice}>
      <Notice tone={session.state === "refused" ? "bad" : "warn"} title={titleOf(session)} actions={actions}>
        <ProblemText
          message={session.reason?.message ?? "The connection was lost."}
          advice={session.reason ? adviceFor(session.reason) : null}
          code={session.reason?.code ?? ""}
        />
        <NextAttempt session={session} />
      </Notice>
    </div>
  );
}

function titleOf({ state, server_addr: server }: Session): string {
  return state === "refused" ? `The server at ${server} refused the agent` : `Not connected to ${server}`;
}

/** Shown when the changed configuration file is invalid; the agent keeps the previous configuration. */
export function ConfigurationNotice() {
  const { connection, status } = useAgent();
  if (connection !== "live" || !status?.config_error) return null;
  return (
    <div className={styles.notice}>
      <Notice tone="warn" title="The configuration file has errors and was not applied">
        <p className={styles.mistakes}>
          <Prose text={status.config_error} />
        </p>
        <p className={styles.advice}>
          Correct {status.config_path} and save it; the agent reloads it automatically.
        </p>
      </Notice>
    </div>
  );
}

/** Counts down to the next attempt. */
export function NextAttempt({ session }: { session: Session }) {
  const now = useNow(250, session.next_try !== null);
  if (session.state === "connecting")
    return <p className={styles.next}>Trying now (attempt {session.attempt})…</p>;
  if (session.next_try === null) return null;
  const seconds = secondsUntil(session.next_try, now);
  return (
    <p className={styles.next} role="timer" aria-live="off">
      {seconds > 0 ? `Next attempt in ${seconds} s` : "Trying now…"}
      {session.attempt > 0 &&
        ` · ${session.attempt} ${session.attempt === 1 ? "attempt" : "attempts"} so far`}
    </p>
  );
}
