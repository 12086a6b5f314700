// One exchange in full: what it was, what can be done with it, and five ways to look at it.
import { useState } from "react";
import type { Summary } from "../api/types";
import { adviceFor } from "../model/advice";
import { tunnelName } from "../model/filter";
import { clock, duration, size } from "../model/format";
import { Button, IconButton } from "../parts/Button";
import { Menu } from "../parts/Menu";
import { Notice, ProblemText } from "../parts/Notice";
import { State } from "../parts/State";
import { Tabs } from "../parts/Tabs";
import { useAgent } from "../services";
import { BodyView } from "./bodies/BodyView";
import { HeadersTab, OverviewTab, RawTab } from "./DetailTabs";
import { Replays } from "./Replays";
import styles from "./RequestDetail.module.css";
import { outcome } from "./status";
import { useActions } from "./actions";
import { isComplete, useDetail, type Reading } from "./useDetail";

const TABS = [
  { value: "overview", label: "Overview" },
  { value: "request", label: "Request" },
  { value: "response", label: "Response" },
  { value: "headers", label: "Headers" },
  { value: "raw", label: "Raw" },
] as const;

interface RequestDetailProps {
  summary: Summary;
  tab: string;
  onTab(tab: string): void;
  onSelect(id: string): void;
  onClose(): void;
}

export function RequestDetail({ summary, tab, onTab, onSelect, onClose }: RequestDetailProps) {
  const reading = useDetail(summary.id, isComplete(summary));
  const [revealed, setRevealed] = useState(false);
  const { replay, copyCurl } = useActions();
  const { tunnels } = useAgent();
  const { tone, icon, words } = outcome(summary);
  const cut = reading.state === "read" && reading.detail.request.cut;
  const targets = tunnels.filter(
    ({ state, definition }) => state === "running" && definition.proto !== "tcp",
  );

  return (
    <section className={styles.detail} aria-label="Request details">
      <header className={styles.header}>
        <div className={styles.title}>
          <IconButton label="Close the details" icon="close" onClick={onClose} />
          <h2 className={styles.address} tabIndex={-1} id="request-title">
            <b>{summary.method}</b> {summary.path}
          </h2>
        </div>
        <div className={styles.facts}>
          <State tone={tone} icon={icon}>
            {words}
          </State>
          {summary.duration !== null && <span>{duration(summary.duration)}</span>}
          <span>{size(summary.response_size)}</span>
          <span>{tunnelName(summary.tunnel_name)}</span>
          <span>{clock(summary.start, true)}</span>
          <div className={styles.actions}>
            <Button
              weight="primary"
              icon="replay"
              disabled={cut}
              title={cut ? "A request that was cut cannot be replayed" : "Send this request again (r)"}
              onClick={() => void replay(summary.id, null)}
            >
              Replay
            </Button>
            <Menu
              trigger={<IconButton label="Replay to another tunnel" icon="chevron" disabled={cut} />}
              title="Replay to"
              actions={
                targets.length === 0
                  ? [{ label: "No tunnel is running", disabled: true, run: () => {} }]
                  : targets.map(({ name }) => ({
                      label: name,
                      icon: "replay" as const,
                      run: () => void replay(summary.id, name),
                    }))
              }
            />
            <Button icon="copy" title="Copy as curl (c)" onClick={() => void copyCurl(summary.id, revealed)}>
              curl
            </Button>
          </div>
        </div>
      </header>
      <Replays of={summary.id} onSelect={onSelect} />
      <Tabs label="Parts of the request" value={tab} onChange={onTab} items={TABS}>
        <TabContent
          reading={reading}
          tab={tab}
          summary={summary}
          revealed={revealed}
          onReveal={setRevealed}
          onSelect={onSelect}
        />
      </Tabs>
    </section>
  );
}

interface TabContentProps {
  reading: Reading;
  tab: string;
  summary: Summary;
  revealed: boolean;
  onReveal(revealed: boolean): void;
  onSelect(id: string): void;
}

function TabContent({ reading, tab, summary, revealed, onReveal, onSelect }: TabContentProps) {
  // Bodies read what they show by themselves: of the largest ones never more than is in sight.
  if (tab === "request" || tab === "response")
    return <BodyView key={tab} id={summary.id} side={tab} complete={isComplete(summary)} />;
  if (reading.state === "reading") return <p className={styles.wait}>Reading…</p>;
  if (reading.state === "failed") {
    const { code, message } = reading.problem;
    return (
      <div className={styles.failed}>
        <Notice tone="bad" title="This request cannot be shown">
          <ProblemText message={message} advice={adviceFor(reading.problem)} code={code} />
        </Notice>
      </div>
    );
  }
  const { detail } = reading;
  switch (tab) {
    case "headers":
      return <HeadersTab detail={detail} revealed={revealed} onReveal={onReveal} />;
    case "raw":
      return <RawTab detail={detail} revealed={revealed} onReveal={onReveal} />;
    default:
      return <OverviewTab summary={summary} detail={detail} onSelect={onSelect} />;
  }
}
