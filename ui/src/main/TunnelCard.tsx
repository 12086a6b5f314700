// One tunnel: its switch, its state with the reason, its public address and its actions.
import { useState } from "react";
import type { ConfiguredTunnel, RunningTunnel, Session } from "../api/types";
import { adviceFor } from "../model/advice";
import { counted, duration, secondsUntil } from "../model/format";
import { addressShown } from "../model/tunnelForm";
import { useNow } from "../parts/hooks";
import { IconButton } from "../parts/Button";
import type { IconName } from "../parts/Icon";
import { Icon } from "../parts/Icon";
import { Menu, type MenuAction } from "../parts/Menu";
import { Notice, ProblemText, type Tone } from "../parts/Notice";
import { isOpenable, QrButton } from "../parts/QrButton";
import { State } from "../parts/State";
import { Switch } from "../parts/Switch";
import { attempt, useAgent, useCopy, useServices } from "../services";
import styles from "./TunnelCard.module.css";

const STATES: Record<
  ConfiguredTunnel["state"],
  { tone: Tone | "idle"; icon: IconName; words: string; busy: boolean }
> = {
  running: { tone: "ok", icon: "check", words: "Running", busy: false },
  starting: { tone: "info", icon: "refresh", words: "Starting", busy: true },
  stopped: { tone: "idle", icon: "circle", words: "Stopped", busy: false },
  failed: { tone: "bad", icon: "cross", words: "Failed", busy: false },
};

interface TunnelCardProps {
  tunnel: ConfiguredTunnel;
  running: RunningTunnel | null;
  onEdit(): void;
  onRemove(): void;
  onRequests(): void;
}

export function TunnelCard({ tunnel, running, onEdit, onRemove, onRequests }: TunnelCardProps) {
  const { model } = useServices();
  const { status, connection: link } = useAgent();
  const [busy, setBusy] = useState(false);
  const { name, definition, state, error, service, public_url: url, saved } = tunnel;
  const on = state === "running" || state === "starting";
  const session = status?.session;
  // A tunnel cannot be online while the session is down, whatever was last reported.
  const waits = on && link === "live" && session !== undefined && session.state !== "online";
  const shown = waits
    ? { tone: "warn" as const, icon: "clock" as const, words: "Waiting", busy: false }
    : state === "running" && service
      ? { tone: "warn" as const, icon: "alert" as const, words: "No local service", busy: false }
      : STATES[state];

  const turn = async (next: boolean) => {
    setBusy(true);
    await attempt(next ? `${name} could not be started` : `${name} could not be stopped`, async () => {
      await (next ? model.api.start(name) : model.api.stop(name));
    });
    setBusy(false);
  };
  const keep: MenuAction = {
    label: "Save to the configuration",
    icon: "check",
    run: () => void attempt(`${name} could not be saved`, () => model.api.save(name, definition)),
  };
  const actions: MenuAction[] = [
    { label: "Edit…", icon: "edit", run: onEdit },
    ...(definition.proto === "tcp"
      ? []
      : [{ label: "Show its requests", icon: "list" as const, run: onRequests }]),
    ...(saved ? [] : [keep]),
    { label: "Remove…", icon: "trash", danger: true, run: onRemove },
  ];

  return (
    <article className={styles.card} aria-label={`Tunnel ${name}`} data-state={state}>
      <header className={styles.header}>
        <Switch on={on} label={`${name} on or off`} busy={busy} onChange={(next) => void turn(next)} />
        <h3 className={styles.name}>{name}</h3>
        <span role="status" className={styles.state}>
          <State tone={shown.tone} icon={shown.icon} busy={shown.busy}>
            {shown.words}
          </State>
        </span>
        <Menu trigger={<IconButton label={`More about ${name}`} icon="more" />} actions={actions} />
      </header>
      {url !== null && on && <PublicAddress url={url} name={name} />}
      <p className={styles.target}>
        <Icon name="arrow" size={13} />
        <span className="unseen">forwards to</span>
        <code>{addressShown(definition)}</code>
        <span className={styles.kind}>{kindOf(tunnel)}</span>
      </p>
      {running && on && !waits && <p className={styles.numbers}>{numbers(running)}</p>}
      {waits && session && <Waiting session={session} />}
      {service && on && !waits && (
        <div className={styles.error}>
          <Notice tone="warn" title="Visitors get an error: the local service does not run">
            <ProblemText message={service.message} advice={null} code={service.code} />
          </Notice>
        </div>
      )}
      {error && (
        <div className={styles.error}>
          <Notice
            tone="bad"
            title={state === "failed" ? "This tunnel could not start" : "Something went wrong"}
          >
            <ProblemText message={error.message} advice={adviceFor(error)} code={error.code} />
          </Notice>
        </div>
      )}
    </article>
  );
}

/** The reason is shown above the tunnels; here only what this tunnel waits for. */
function Waiting({ session }: { session: Session }) {
  const now = useNow(250, session.next_try !== null);
  const seconds = session.next_try === null ? 0 : secondsUntil(session.next_try, now);
  return (
    <p className={styles.numbers}>
      Starts with the connection to {session.server_addr}
      {seconds > 0 && `, next attempt in ${seconds} s`}.
    </p>
  );
}

function PublicAddress({ url, name }: { url: string; name: string }) {
  const { host } = useServices();
  const copy = useCopy();
  const opens = isOpenable(url);
  return (
    <div className={styles.address}>
      <span className={styles.url}>{url}</span>
      <IconButton
        label={`Copy the address of ${name}`}
        icon="copy"
        onClick={() => void copy(url, "Address")}
      />
      {opens && <QrButton url={url} />}
      {opens && (
        <IconButton
          label={`Open ${name} in the browser`}
          icon="open"
          onClick={() => void attempt("The address could not be opened", () => host.openExternal(url))}
        />
      )}
    </div>
  );
}

function kindOf({ definition, saved }: ConfiguredTunnel): string {
  const kind =
    definition.labels && definition.labels.length > 0
      ? definition.labels.join(", ")
      : (definition.proto ?? "http").toUpperCase();
  return saved ? kind : `${kind} · not saved`;
}

function numbers({ metrics, proto }: RunningTunnel): string {
  const open = `${metrics.conns.gauge} open`;
  if (proto === "tcp") return `${counted(metrics.conns.count, "connection")} · ${open}`;
  const half = metrics.http.count > 0 ? ` · median ${duration(metrics.http.p50)}` : "";
  return `${counted(metrics.http.count, "request")} · ${open}${half}`;
}
