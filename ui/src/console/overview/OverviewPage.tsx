// The server at a glance: its health, its traffic, the connected agents, and what expires soon.
import { collection } from "../../api/management";
import { Fragment, useState } from "react";
import type { ServerStatus } from "../../api/generated";
import { count, counted, size, span } from "../../model/format";
import { Button } from "../../parts/Button";
import { Choice } from "../../parts/Choice";
import { useNow } from "../../parts/hooks";
import { Notice } from "../../parts/Notice";
import { State } from "../../parts/State";
import { useCopy, useServices } from "../../services";
import { useAddressSearch, useNavigateTo } from "../address";
import { TrafficHistory } from "../history/TrafficHistory";
import { listQuery, useApiQuery } from "../management";
import { MissingNodesNotice } from "../MissingNodes";
import { PlaceLink } from "../PlaceLink";
import { PUBLISH_PATH } from "../publish/publishPath";
import { UnfinishedNotice } from "../publish/UnfinishedNotice";
import { FAILED, withFault } from "../requests/recentRequests";
import { Moment } from "../resource/cells";
import { PageFrame, Section } from "../resource/PageFrame";
import { Failure, Loading } from "../shell/PageStates";
import { faultsOf, failureShare, statusQuery, sum } from "../traffic";
import { AgentNotice, AgentState } from "./AgentNotice";
import { Busiest } from "./Busiest";
import styles from "./OverviewPage.module.css";
import { RateChart } from "./RateChart";
import { expiry, expiryTone, firstStep, remarks } from "./remarks";
import { unnamed } from "../../model/ids";

const SESSIONS = collection("/tunnel_sessions");
/** Number of most recent agents shown. */
const AGENTS = 6;

export default function OverviewPage() {
  const query = useApiQuery(statusQuery);
  const go = useNavigateTo();
  const { host } = useServices();
  const now = useNow(10_000);
  const status = query.data;
  if (!status)
    return query.isError ? (
      <PageFrame title="Overview">
        <Failure
          thrown={query.error}
          title="The server's state could not be read"
          retry={() => void query.refetch()}
        />
      </PageFrame>
    ) : (
      <Loading />
    );
  const step = firstStep(status);
  return (
    <PageFrame
      title="Overview"
      about={
        <>
          Postern {status.version}, running for {span((now - Date.parse(status.started_at)) / 1000)}, domain{" "}
          {status.domain}, {size(status.store.bytes)} on disk.
        </>
      }
      actions={
        <>
          {host.agent && <AgentState />}
          {query.isError ? (
            <State tone="bad" icon="cross">
              The server does not respond
            </State>
          ) : (
            <State tone="ok" icon="check">
              The server is reachable
            </State>
          )}
          <Button weight="primary" icon="globe" onClick={() => go(PUBLISH_PATH)}>
            Publish a service
          </Button>
        </>
      }
    >
      {host.agent && <AgentNotice />}
      <MissingNodesNotice nodes={status.nodes_missing} />
      <UnfinishedNotice />
      {step ? <FirstStep step={step} status={status} /> : <Remarks status={status} now={now} />}
      <Figures status={status} />
      <Passing status={status} />
      <Busiest />
      <div className={styles.columns}>
        <Agents total={status.sessions} />
        <Certificates status={status} now={now} />
      </div>
    </PageFrame>
  );
}

function FirstStep({ step, status }: { step: "credential" | "connect"; status: ServerStatus }) {
  const go = useNavigateTo();
  const copy = useCopy();
  const command = `postern http 8080 --server-addr ${status.domain}:${status.https_port}`;
  if (step === "credential")
    return (
      <Notice
        tone="info"
        title="First step: create a credential for your agent"
        actions={
          <Button weight="primary" icon="add" onClick={() => go("/credentials/new")}>
            New credential
          </Button>
        }
      >
        <p>Agents authenticate with its token. Nothing is published on this server yet.</p>
      </Notice>
    );
  return (
    <Notice
      tone="info"
      title="Next step: connect an agent"
      actions={
        <Button icon="copy" onClick={() => void copy(command, "The command")}>
          Copy the command
        </Button>
      }
    >
      <p>
        On the machine with the local service, with the token of your credential in{" "}
        <code>POSTERN_AUTHTOKEN</code>:
      </p>
      <p>
        <code className={styles.command}>{command}</code>
      </p>
      <p>
        On another machine, or where the server's certificate is not trusted, add <code>--root-cas</code> with
        the <code>ca.pem</code> of the server's data folder.
      </p>
    </Notice>
  );
}

function Remarks({ status, now }: { status: ServerStatus; now: number }) {
  const found = remarks(status, now);
  if (found.length === 0) return null;
  return (
    <div className={styles.remarks}>
      {found.map(({ tone, title, reason, path }) => (
        <Notice
          key={title}
          tone={tone}
          title={title}
          actions={
            path && (
              <PlaceLink to={path} className={styles.link}>
                Show details
              </PlaceLink>
            )
          }
        >
          <p>{reason}</p>
        </Notice>
      ))}
    </div>
  );
}

function Figures({ status }: { status: ServerStatus }) {
  const minute = sum(status.history.seconds);
  const { https_edges, tls_edges, tcp_edges } = status.configured;
  const figures = [
    { label: "Requests", value: count(minute.requests), note: "in the last minute", to: "/topology" },
    {
      label: "Failures",
      value: failureShare(minute).replace(" errors", "") || "none",
      note: minute.refused > 0 ? `last minute, ${count(minute.refused)} refused` : "in the last minute",
      to: "/requests",
      search: { filter: FAILED },
    },
    { label: "Agents", value: String(status.sessions), note: "connected", to: "/agents" },
    { label: "Tunnels", value: String(status.tunnels), note: "up", to: "/tunnels" },
    {
      label: "Edges",
      value: count(https_edges + tls_edges + tcp_edges),
      note: `${https_edges} HTTPS, ${tls_edges} TLS, ${tcp_edges} TCP`,
      to: "/edges/https",
    },
  ];
  return (
    <ul className={styles.figures} aria-label="Figures">
      {figures.map(({ label, value, note, to, search = {} }) => (
        <li key={label}>
          <PlaceLink to={to} search={search} className={styles.figure}>
            <span className={styles.label}>{label}</span>
            <span className={styles.value}>{value}</span>
            <span className={styles.note}>{note}</span>
          </PlaceLink>
        </li>
      ))}
    </ul>
  );
}

/** Time spans of the traffic: the first two from memory, the others as they were recorded. */
const SPANS = [
  { value: "minute", label: "Last minute" },
  { value: "hour", label: "Last hour" },
  { value: "day", label: "24 hours" },
  { value: "week", label: "7 days" },
  { value: "quarter", label: "90 days" },
] as const;

function Passing({ status }: { status: ServerStatus }) {
  const [search, change] = useAddressSearch();
  const over = SPANS.find(({ value }) => value === search["over"])?.value ?? "hour";
  const faults = faultsOf(status.traffic.faults);
  return (
    <Section
      title="Requests over time"
      actions={
        <Choice
          legend="Over"
          isLegendHidden
          value={over}
          options={SPANS}
          onChange={(next) => change({ over: next === "hour" ? undefined : next })}
        />
      }
    >
      {over === "minute" && <RateChart points={status.history.seconds} unit="second" />}
      {over === "hour" && <RateChart points={status.history.minutes} unit="minute" />}
      {over !== "minute" && over !== "hour" && <TrafficHistory id={null} passing="request" range={over} />}
      <p className={styles.totals}>
        Since the start: {counted(status.traffic.requests, "request")}; {size(status.traffic.bytes_in)} from
        visitors and {size(status.traffic.bytes_out)} to visitors, without HTTP headers.
        {faults.length > 0 && " Refused or failed because of "}
        {faults.map(({ party, who, requests }, index) => (
          <Fragment key={party}>
            {index > 0 && ", "}
            <PlaceLink to="/requests" search={{ filter: withFault(party) }} className={styles.link}>
              {who} ({count(requests)})
            </PlaceLink>
          </Fragment>
        ))}
        {faults.length > 0 && "."}
      </p>
    </Section>
  );
}

function Agents({ total }: { total: number }) {
  const query = useApiQuery(listQuery(SESSIONS, { limit: AGENTS }, 5_000));
  const sessions = query.data?.records ?? [];
  return (
    <Section
      title="Agents"
      actions={
        total > AGENTS && (
          <PlaceLink to="/agents" className={styles.link}>
            All {total}
          </PlaceLink>
        )
      }
    >
      {sessions.length === 0 ? (
        <p className={styles.quiet}>No agent is connected.</p>
      ) : (
        <div className={styles.scroll}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Agent</th>
                <th scope="col">IP address</th>
                <th scope="col">Version</th>
                <th scope="col">System</th>
                <th scope="col">Since</th>
              </tr>
            </thead>
            <tbody>
              {sessions.map((session) => (
                <tr key={session.id}>
                  <td>
                    <PlaceLink
                      to={session.agent ? `/agents/${session.agent.id}` : `/tunnel_sessions/${session.id}`}
                    >
                      {session.host_name || `${session.os} at ${session.ip}`}
                    </PlaceLink>
                  </td>
                  <td>{session.ip}</td>
                  <td>{session.agent_version}</td>
                  <td>{session.os}</td>
                  <td>
                    <Moment at={session.started_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

function Certificates({ status, now }: { status: ServerStatus; now: number }) {
  const [all, setAll] = useState(false);
  const shown = all ? status.expiring : status.expiring.slice(0, 5);
  return (
    <Section
      title="Certificates by expiry"
      actions={
        <PlaceLink to="/tls_certificates" className={styles.link}>
          All certificates
        </PlaceLink>
      }
    >
      {shown.length === 0 ? (
        <p className={styles.quiet}>
          No certificate is uploaded. Names without one are served with a certificate of this server's own
          authority.
        </p>
      ) : (
        <ul className={styles.list}>
          {shown.map(({ certificate, names, not_after, renewed }) => {
            const tone = expiryTone(not_after, now);
            return (
              <li key={certificate.id} className={styles.row}>
                <PlaceLink to={`/tls_certificates/${certificate.id}`}>
                  {names[0] ?? unnamed(certificate.id)}
                </PlaceLink>
                <span className={styles.note}>{renewed ? "renewed automatically" : ""}</span>
                <State tone={tone} icon={tone === "ok" ? "clock" : "alert"}>
                  {expiry(not_after, now)}
                </State>
              </li>
            );
          })}
        </ul>
      )}
      {status.expiring.length > 5 && (
        <Button weight="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show fewer" : "Show more"}
        </Button>
      )}
    </Section>
  );
}
