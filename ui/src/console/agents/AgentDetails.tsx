// On the page of an agent: its tunnels, its sessions, and when it came and went.
import type { Agent } from "../../api/generated";
import { State } from "../../parts/State";
import { tunnels, tunnelSessions } from "../kinds/liveViews";
import { exactly, Moment } from "../resource/cells";
import { Section } from "../resource/PageFrame";
import { ResourceTable } from "../resource/ResourceTable";
import styles from "./AgentDetails.module.css";

export function AgentDetails({ record: agent }: { record: Agent }) {
  const sessions = new Set(agent.tunnel_sessions.map(({ id }) => id));
  return (
    <>
      <Section title="Tunnels" about="What the agent publishes now.">
        <ResourceTable
          kind={tunnels}
          prefix="tunnels-"
          only={(tunnel) => sessions.has(tunnel.tunnel_session.id)}
          empty={<p className={styles.none}>It has no tunnel at the moment.</p>}
        />
      </Section>
      <Section title="Agent sessions" about="Its connections now: one to each node.">
        <ResourceTable
          kind={tunnelSessions}
          prefix="sessions-"
          only={(session) => sessions.has(session.id)}
          empty={<p className={styles.none}>It is not connected.</p>}
        />
      </Section>
      <Section title="History" about="When it connected and when it was gone, the latest first.">
        {agent.changes.length === 0 ? (
          <p className={styles.none}>Nothing is recorded yet.</p>
        ) : (
          <ol className={styles.changes}>
            {agent.changes.map(({ state, at }) => (
              <li key={`${state} ${at}`}>
                <State
                  tone={state === "online" ? "ok" : "idle"}
                  icon={state === "online" ? "check" : "clock"}
                >
                  {state === "online" ? "Connected" : "Gone"}
                </State>
                <span>
                  <Moment at={at} /> <span className={styles.none}>({exactly(at)})</span>
                </span>
              </li>
            ))}
          </ol>
        )}
      </Section>
    </>
  );
}
