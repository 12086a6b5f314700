// The tabs of a request that are not a body: overview, headers, and the bytes as they were on the wire.
import { useMemo, useState } from "react";
import type { Summary } from "../api/types";
import { sentCookies, setCookies } from "../model/cookies";
import type { Detail, Message } from "../model/details";
import { duration, moment, size } from "../model/format";
import { hasSecrets, maskHead, maskUrl } from "../model/secrets";
import { headText, pairs } from "../model/httpMessage";
import { Button } from "../parts/Button";
import { useAgent } from "../services";
import { addressOf } from "./actions";
import { RawView } from "./bodies/RawView";
import { PairTable } from "./PairTable";
import styles from "./RequestDetail.module.css";
import { outcome } from "./outcome";

interface OverviewProps {
  summary: Summary;
  detail: Detail;
  onSelect(id: string): void;
}

export function OverviewTab({ summary, detail, onSelect }: OverviewProps) {
  const { tunnels } = useAgent();
  const { captured, request, response } = detail;
  const target = captured.request.uri;
  const query = target.includes("?") ? pairs(target.slice(target.indexOf("?") + 1)) : [];
  const replayOf = summary.replay_of;
  return (
    <>
      <dl className={styles.table}>
        <dt>URL</dt>
        <dd className={styles.mono}>{maskUrl(addressOf(detail, tunnels))}</dd>
        <dt>Status</dt>
        <dd>{outcome(summary).words}</dd>
        <dt>Started</dt>
        <dd>{moment(captured.start)}</dd>
        <dt>Duration at the local service</dt>
        <dd>{summary.duration === null ? "In progress" : duration(summary.duration)}</dd>
        <dt>Tunnel</dt>
        <dd>{captured.tunnel_name}</dd>
        <dt>Visitor</dt>
        <dd className={styles.mono}>{captured.remote_addr}</dd>
        <dt>Request size</dt>
        <dd>{extent(request)}</dd>
        <dt>Response size</dt>
        <dd>{response ? extent(response) : "None yet"}</dd>
        {replayOf !== null && (
          <>
            <dt>Replay of</dt>
            <dd>
              {summary.replay_through === "edge" ? "Through the edge, of " : "To the local service, of "}
              <button type="button" className={styles.link} onClick={() => onSelect(replayOf)}>
                {replayOf}
              </button>
            </dd>
          </>
        )}
        {summary.note && (
          <>
            <dt>Note</dt>
            <dd>{summary.note}</dd>
          </>
        )}
        <dt>ID</dt>
        <dd className={styles.mono}>{captured.id}</dd>
      </dl>
      {query.length > 0 && (
        <>
          <h3 className={styles.section}>Query</h3>
          <PairTable label="Query parameters" pairs={query} masked />
        </>
      )}
    </>
  );
}

function extent(message: Message): string {
  const head = `${size(message.head.length)} head, ${size(message.bodySize)} body`;
  return `${head}${message.cut ? ", truncated" : ""}`;
}

interface RevealProps {
  detail: Detail;
  revealed: boolean;
  onReveal(revealed: boolean): void;
}

function RevealButton({ detail, revealed, onReveal }: RevealProps) {
  const secrets = hasSecrets(detail.request.headers) || hasSecrets(detail.response?.headers ?? []);
  if (!secrets) return null;
  return (
    <Button
      weight="quiet"
      icon={revealed ? "lock" : "eye"}
      aria-pressed={revealed}
      onClick={() => onReveal(!revealed)}
    >
      {revealed ? "Hide secrets" : "Reveal secrets"}
    </Button>
  );
}

export function HeadersTab(props: RevealProps) {
  const { detail, revealed } = props;
  const sent = sentCookies(detail.request.headers);
  const set = setCookies(detail.response?.headers ?? []);
  return (
    <>
      <h3 className={styles.section}>
        Request <RevealButton {...props} />
      </h3>
      <HeaderBlock message={detail.request} revealed={revealed} label="Request headers" />
      {sent.length > 0 && (
        <>
          <h3 className={styles.section}>Cookies sent</h3>
          <PairTable label="Cookies sent" pairs={sent} masked={revealed ? false : "all"} />
        </>
      )}
      {detail.response && (
        <>
          <h3 className={styles.section}>Response</h3>
          <HeaderBlock message={detail.response} revealed={revealed} label="Response headers" />
        </>
      )}
      {set.length > 0 && (
        <>
          <h3 className={styles.section}>Cookies set</h3>
          <PairTable
            label="Cookies set"
            pairs={set.map(({ name, value, attributes }) => ({ name, value, note: attributes }))}
            masked={revealed ? false : "all"}
          />
        </>
      )}
    </>
  );
}

function veiledLine(line: string): string {
  return line.replace(/^\S+ \S+/, maskUrl);
}

function HeaderBlock({ message, revealed, label }: { message: Message; revealed: boolean; label: string }) {
  return (
    <>
      <p className={styles.start}>{revealed ? message.startLine : veiledLine(message.startLine)}</p>
      <PairTable label={label} pairs={message.headers} masked={!revealed} />
      {message.trailers.length > 0 && (
        <>
          <h3 className={styles.section}>Trailers</h3>
          <PairTable label={`${label}, trailers`} pairs={message.trailers} masked={!revealed} />
        </>
      )}
    </>
  );
}

export function RawTab(props: RevealProps) {
  const { detail, revealed } = props;
  const [side, setSide] = useState<"request" | "response">("request");
  const [hex, setHex] = useState(false);
  const message = side === "response" && detail.response ? detail.response : detail.request;
  const head = useMemo(() => {
    const text = headText(message.head);
    return new TextEncoder().encode(revealed ? text : maskHead(text));
  }, [message, revealed]);
  return (
    <div className={styles.raw}>
      <div className={styles.section}>
        <div className={styles.choices} role="group" aria-label="Side">
          <Button aria-pressed={message === detail.request} onClick={() => setSide("request")}>
            Request
          </Button>
          <Button
            aria-pressed={message === detail.response}
            disabled={!detail.response}
            onClick={() => setSide("response")}
          >
            Response
          </Button>
          <Button aria-pressed={hex} onClick={() => setHex(!hex)}>
            Hex
          </Button>
        </div>
        <RevealButton {...props} />
      </div>
      <div className={styles.rawBody}>
        <RawView
          id={detail.captured.id}
          side={message === detail.request ? "request" : "response"}
          head={head}
          bodySize={message.bodySize}
          hex={hex}
        />
      </div>
    </div>
  );
}
