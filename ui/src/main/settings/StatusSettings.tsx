// The status of server, agent and keychain, with actions for each.
import { sessionStatus } from "../../inspector/SessionState";
import type { DesktopState, ProgramName, RunState } from "../../api/desktop.generated";
import { moment, size } from "../../model/format";
import { Button } from "../../parts/Button";
import type { IconName } from "../../parts/Icon";
import type { Tone } from "../../parts/Notice";
import { State } from "../../parts/State";
import { attempt, useAgent, useServices } from "../../services";
import styles from "../Settings.module.css";

const PROGRAM_STATES: Record<RunState, { tone: Tone | "idle"; icon: IconName; words: string }> = {
  running: { tone: "ok", icon: "check", words: "Running" },
  starting: { tone: "info", icon: "refresh", words: "Starting" },
  failed: { tone: "bad", icon: "cross", words: "Not running" },
  stopped: { tone: "idle", icon: "circle", words: "Stopped" },
};

export function StatusSettings({ desktop }: { desktop: DesktopState | null }) {
  const { host } = useServices();
  const agent = useAgent();
  const { status } = agent;
  const session = sessionStatus(agent);
  const capture = status?.capture;
  return (
    <section className={styles.section} aria-labelledby="standing-title">
      <h2 id="standing-title" className={styles.title}>
        Status
      </h2>
      <dl className={styles.facts}>
        {desktop && <ProgramFacts program="server" desktop={desktop} />}
        {desktop && <ProgramFacts program="agent" desktop={desktop} />}
        <dt>Session</dt>
        <dd className={styles.line}>
          <State tone={session.tone} icon={session.icon}>
            {session.words}
          </State>
          {status && (
            <span>
              {status.session.server_addr}
              {status.session.since && `, since ${moment(status.session.since)}`}
            </span>
          )}
        </dd>
        {status && (
          <>
            <dt>Inspector</dt>
            <dd>
              <code>http://{status.web_addr}</code>
            </dd>
            <dt>Configuration</dt>
            <dd>
              <code>{status.config_path}</code>
            </dd>
          </>
        )}
        {capture && (
          <>
            <dt>Captured</dt>
            <dd>
              {size(capture.bytes)} of {size(capture.limit)}
              {capture.oldest && `, the oldest from ${moment(capture.oldest)}`}
            </dd>
          </>
        )}
        {desktop && (
          <>
            <dt>Server key</dt>
            <dd>
              {desktop.keychain.kind === "keychain" ? "In the system's keychain" : "In an encrypted file"}
              {desktop.keychain.note && `. ${desktop.keychain.note}`}
            </dd>
          </>
        )}
        <dt>Versions</dt>
        <dd>
          {[desktop && `app ${desktop.version}`, status && `agent ${status.agent_version}`]
            .filter(Boolean)
            .join(", ") || "Unknown"}
        </dd>
      </dl>
      {host.desktop && (
        <div className={styles.buttons}>
          <Button
            icon="open"
            onClick={() =>
              void attempt("The logs could not be shown", async () => host.desktop?.revealLogs())
            }
          >
            Show logs
          </Button>
          <Button onClick={() => void attempt("Postern could not quit", async () => host.desktop?.quit())}>
            Quit Postern
          </Button>
        </div>
      )}
    </section>
  );
}

function ProgramFacts({ program, desktop }: { program: ProgramName; desktop: DesktopState }) {
  const { host } = useServices();
  const { state } = desktop[program];
  const { tone, icon, words } = PROGRAM_STATES[state];
  const address = program === "server" ? desktop.server.address : desktop.agent.web_addr;
  const remote = program === "server" && desktop.server.mode === "remote";
  const pid = desktop[program].pid;
  return (
    <>
      <dt>{program === "server" ? (remote ? "Remote server" : "Local server") : "Agent"}</dt>
      <dd className={styles.part}>
        <span className={styles.line}>
          <State tone={tone} icon={icon}>
            {words}
          </State>
          {address && <code>{address}</code>}
          {pid !== null && <span>process {pid}</span>}
          {program === "agent" && desktop.agent.adopted && <span>not started by this app</span>}
        </span>
        {!remote && (
          <Button
            icon="refresh"
            onClick={() =>
              void attempt(`The ${program} could not be restarted`, async () =>
                host.desktop?.restartPart(program),
              )
            }
          >
            Restart
          </Button>
        )}
      </dd>
    </>
  );
}
