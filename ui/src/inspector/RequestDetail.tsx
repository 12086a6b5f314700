// One exchange in full: its facts, its actions and its tabs.
import { useState } from "react";
import type { Summary } from "../api/types";
import { adviceFor } from "../model/advice";
import { tunnelName } from "../model/filter";
import { clock, duration, size } from "../model/format";
import { maskUrl } from "../model/secrets";
import { IconButton } from "../parts/Button";
import { Notice, ProblemText } from "../parts/Notice";
import { Wait } from "../parts/Wait";
import { State } from "../parts/State";
import { Tabs } from "../parts/Tabs";
import { BodyView } from "./bodies/BodyView";
import { DecisionsTab } from "./DecisionsTab";
import { DetailActions } from "./DetailActions";
import { HeadersTab, OverviewTab, RawTab } from "./DetailTabs";
import { ReplayEditor } from "./ReplayEditor";
import { Replays } from "./Replays";
import styles from "./RequestDetail.module.css";
import { outcome } from "./outcome";
import { TimingTab } from "./TimingTab";
import { isComplete, useDetail, type Reading } from "./useDetail";

export const TABS = [
  { value: "overview", label: "Overview" },
  { value: "request", label: "Request" },
  { value: "response", label: "Response" },
  { value: "headers", label: "Headers" },
  { value: "timing", label: "Timing" },
  { value: "decisions", label: "Decisions" },
  { value: "raw", label: "Raw" },
] as const;

interface RequestDetailProps {
  summary: Summary;
  tab: string;
  onTab(tab: string): void;
  editing: boolean;
  onEdit(editing: boolean): void;
  onNote(): void;
  onDelete(): void;
  onSelect(id: string): void;
  onClose(): void;
}

export function RequestDetail(props: RequestDetailProps) {
  const { summary, tab, onTab, editing, onEdit, onSelect, onClose } = props;
  const reading = useDetail(summary.id, isComplete(summary));
  const [revealed, setRevealed] = useState(false);
  const { tone, icon, words } = outcome(summary);

  return (
    <section className={styles.detail} aria-label="Request details">
      <header className={styles.header}>
        <div className={styles.title}>
          <IconButton label="Close the details" icon="close" onClick={onClose} />
          <h2 className={styles.address} tabIndex={-1} id="request-title">
            <b>{summary.method}</b> {maskUrl(summary.path)}
          </h2>
        </div>
        <div className={styles.facts}>
          <State tone={tone} icon={icon}>
            {words}
          </State>
          {summary.duration !== null && <span>{duration(summary.duration)} at the local service</span>}
          <span>{size(summary.response_size)}</span>
          <span>{tunnelName(summary.tunnel_name)}</span>
          <span>{clock(summary.start, true)}</span>
        </div>
        <DetailActions {...props} cut={reading.state === "read" && reading.detail.request.cut} />
        {summary.note && <p className={styles.note}>{summary.note}</p>}
      </header>
      {editing && reading.state === "read" ? (
        <ReplayEditor
          summary={summary}
          detail={reading.detail}
          onClose={() => onEdit(false)}
          onSelect={onSelect}
        />
      ) : (
        <>
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
          {/* Below the tabs, which stay in their place while replays arrive. */}
          <Replays of={summary.id} onSelect={onSelect} />
        </>
      )}
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
  // Bodies are fetched by their own views; large ones only as far as they are visible.
  if (tab === "request" || tab === "response")
    return <BodyView key={tab} id={summary.id} side={tab} complete={isComplete(summary)} />;
  if (reading.state === "reading") return <Wait className={styles.wait}>Loading…</Wait>;
  if (reading.state === "failed") {
    const { code, message } = reading.problem;
    return (
      <div className={styles.failed}>
        <Notice tone="bad" title="This request cannot be displayed">
          <ProblemText message={message} advice={adviceFor(reading.problem)} code={code} />
        </Notice>
      </div>
    );
  }
  const { detail } = reading;
  switch (tab) {
    case "headers":
      return <HeadersTab detail={detail} revealed={revealed} onReveal={onReveal} />;
    case "timing":
      return <TimingTab detail={detail} />;
    case "decisions":
      return <DecisionsTab detail={detail} />;
    case "raw":
      return <RawTab detail={detail} revealed={revealed} onReveal={onReveal} />;
    default:
      return <OverviewTab summary={summary} detail={detail} onSelect={onSelect} />;
  }
}
