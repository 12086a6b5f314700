// The state of this computer's agent, where there is one, with the reason when it is not online.
import type { Session } from "../../api/types";
import { clock } from "../../model/format";
import { Notice, type Tone } from "../../parts/Notice";
import { State } from "../../parts/State";
import { useAgent } from "../../services";
import { PlaceLink } from "../PlaceLink";
import styles from "./OverviewPage.module.css";

const WORDS: Record<Session["state"], { tone: Tone; title: string }> = {
  online: { tone: "ok", title: "This computer's agent is online" },
  connecting: { tone: "info", title: "This computer's agent is connecting" },
  waiting: { tone: "warn", title: "This computer's agent cannot reach its server" },
  refused: { tone: "bad", title: "This computer's agent is refused by its server" },
};

/** A short state for the page's header. */
export function AgentState() {
  const { connection: link, status } = useAgent();
  if (link !== "live" || status?.session.state !== "online") return null;
  return (
    <State tone="ok" icon="check">
      {WORDS.online.title}
    </State>
  );
}

export function AgentNotice() {
  const { connection: link, status } = useAgent();
  if (link === "connecting") return null;
  if (link === "lost")
    return (
      <Notice tone="bad" title="This computer's agent does not respond">
        <p>Its tunnels may still be running. The window retries automatically.</p>
      </Notice>
    );
  if (!status || status.session.state === "online") return null;
  const { state, reason, server_addr, next_try } = status.session;
  const { tone, title } = WORDS[state];
  return (
    <Notice
      tone={tone}
      title={title}
      actions={
        <PlaceLink to="/agent" className={styles.link}>
          Show details
        </PlaceLink>
      }
    >
      <p>
        {server_addr}
        {reason && `: ${reason.message} (${reason.code})`}
        {next_try && ` Next attempt at ${clock(next_try)}.`}
      </p>
    </Notice>
  );
}
