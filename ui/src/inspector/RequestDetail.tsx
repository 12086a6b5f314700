// One exchange in full: its facts, its actions and its tabs.
import { useEffect, useRef, useState } from "react";
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
import { hasMessages, MessagesTab } from "./MessagesTab";
import { Replays } from "./Replays";
import styles from "./RequestDetail.module.css";
import { outcome } from "./outcome";
import { Sides } from "./Sides";
import { TimingTab } from "./TimingTab";
import { useWidth } from "../parts/hooks";
import { isComplete, useDetail, type Reading } from "./useDetail";

export const TABS = [
  { value: "overview", label: "Overview" },
  { value: "request", label: "Request" },
  { value: "response", label: "Response" },
  { value: "messages", label: "Messages" },
  { value: "headers", label: "Headers" },
  { value: "timing", label: "Timing" },
  { value: "decisions", label: "Decisions" },
  { value: "raw", label: "Raw" },
] as const;

export type DetailTab = (typeof TABS)[number]["value"];

/** Width in pixels from which the overview shows both bodies beside each other. */
const WIDE_PX = 1100;

interface RequestDetailProps {
  summary: Summary;
  tab: string;
  onTab(tab: string): void;
  /** Receives the tabs of this request. */
  onTabs(tabs: readonly DetailTab[]): void;
  editing: boolean;
  onEdit(editing: boolean): void;
  onNote(): void;
  onDelete(): void;
  onSelect(id: string): void;
  onClose(): void;
}

export function RequestDetail(props: RequestDetailProps) {
  const { summary, tab, onTab, onTabs, editing, onEdit, onSelect, onClose } = props;
  const reading = useDetail(summary.id, isComplete(summary));
  const [revealed, setRevealed] = useState(false);
  const { tone, icon, words } = outcome(summary);
  const detail = reading.state === "read" ? reading.detail : null;
  const tabs = hasMessages(summary, detail) ? TABS : TABS.filter(({ value }) => value !== "messages");
  // The tab that is remembered may be one that this request lacks.
  const shown = tabs.some(({ value }) => value === tab) ? tab : "overview";
  useEffect(() => onTabs(tabs.map(({ value }) => value)));
  const body = useRef<HTMLElement>(null);
  const isWide = (useWidth(body, WIDE_PX) ?? 0) >= WIDE_PX;

  return (
    <section className={styles.detail} ref={body} aria-label="Request details">
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
          <Tabs label="Parts of the request" value={shown} onChange={onTab} items={tabs}>
            <TabContent
              reading={reading}
              tab={shown}
              isWide={isWide}
              onMessages={() => onTab("messages")}
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
  /** Bodies fit beside each other. */
  isWide: boolean;
  onMessages(): void;
  summary: Summary;
  revealed: boolean;
  onReveal(revealed: boolean): void;
  onSelect(id: string): void;
}

function TabContent(props: TabContentProps) {
  const { reading, tab, isWide, onMessages, summary, revealed, onReveal, onSelect } = props;
  // Bodies are fetched by their own views; large ones only as far as they are visible.
  if (tab === "request" || tab === "response")
    return (
      <BodyView key={tab} id={summary.id} side={tab} complete={isComplete(summary)} onMessages={onMessages} />
    );
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
    case "messages":
      return <MessagesTab summary={summary} detail={detail} />;
    case "headers":
      return <HeadersTab detail={detail} revealed={revealed} onReveal={onReveal} />;
    case "timing":
      return <TimingTab detail={detail} />;
    case "decisions":
      return <DecisionsTab detail={detail} />;
    case "raw":
      return <RawTab detail={detail} revealed={revealed} onReveal={onReveal} />;
    default:
      return (
        <>
          {isWide && (
            <div className={styles.bodies}>
              <Sides id={summary.id} complete={isComplete(summary)} onMessages={onMessages} />
            </div>
          )}
          <OverviewTab summary={summary} detail={detail} onSelect={onSelect} />
        </>
      );
  }
}
