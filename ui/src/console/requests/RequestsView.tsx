// The last requests of an edge, a route or a tunnel as a table that follows the traffic, with a filter.
import { Fragment, useId, useMemo, useState } from "react";
import type { RecentRequest } from "../../api/generated";
import { hasTerm, toggleTerm } from "../../model/filter";
import { clock, counted, duration, size } from "../../model/format";
import { Button, IconButton } from "../../parts/Button";
import { Field, Input } from "../../parts/Field";
import { PlainTable } from "../../parts/PlainTable";
import { Prose } from "../../parts/Prose";
import { State } from "../../parts/State";
import { useAddressSearch } from "../address";
import { Decisions } from "../edges/Decisions";
import { MissingNodesNotice } from "../MissingNodes";
import { Copyable, exactly, RefLink } from "../resource/cells";
import { Failure, Loading } from "../shell/PageStates";
import { compileRequestFilter, FAILED, REFUSED, STATUS_5XX, verdictOf } from "./recentRequests";
import styles from "./RequestsView.module.css";
import { useRequests } from "./useRequests";

/** Rows at first. */
const SHOWN = 100;
const TERMS = [
  { label: "Failed", term: FAILED },
  { label: "Refused by Postern", term: REFUSED },
  { label: "5xx", term: STATUS_5XX },
] as const;
const COLUMNS = ["Time", "Method", "Address", "Status", "Verdict", "Duration", "Visitor", "Agent"];

/** `path` is that of the record, or `/traffic` for everything. */
export function RequestsView({ path }: { path: string }) {
  const [{ filter = "" }, change] = useAddressSearch();
  const query = useRequests(path);
  const compiled = useMemo(() => compileRequestFilter(filter), [filter]);
  const all = query.data?.requests;
  const shown = useMemo(
    () => (compiled.kind === "usable" ? (all ?? []).filter(compiled.matches) : []),
    [all, compiled],
  );
  const setFilter = (next: string) => change({ filter: next === "" ? undefined : next });
  if (!all)
    return query.isError ? (
      <Failure
        thrown={query.error}
        title="The requests could not be read"
        retry={() => void query.refetch()}
      />
    ) : (
      <Loading />
    );
  return (
    <div className={styles.view}>
      <MissingNodesNotice nodes={query.data?.nodes_missing} />
      <div className={styles.filter}>
        <div className={styles.box}>
          <Field label="Filter" mistake={compiled.kind === "unusable" ? compiled.reason : null}>
            <Input
              value={filter}
              spellCheck={false}
              autoComplete="off"
              placeholder="Text, status:5xx, path:/cart, remote:192.0.2.*, dur>500ms"
              onChange={(event) => setFilter(event.target.value)}
            />
          </Field>
        </div>
        <div className={styles.terms}>
          {TERMS.map(({ label, term }) => (
            <Button
              key={term}
              aria-pressed={hasTerm(filter, term)}
              onClick={() => setFilter(toggleTerm(filter, term))}
            >
              {label}
            </Button>
          ))}
        </div>
      </div>
      {shown.length > 0 ? (
        <RequestRows requests={shown} />
      ) : (
        <p className={styles.none}>
          {all.length > 0
            ? "No request matches the filter."
            : "There has been no request since the server started, or it keeps none (--recent-requests 0). New requests appear automatically."}
        </p>
      )}
      <p className={styles.foot} role="status">
        {shown.length === all.length
          ? counted(all.length, "request")
          : `${shown.length} of ${counted(all.length, "request")}`}
        . Kept in memory without headers, bodies and query strings; older ones are in the access log.
      </p>
    </div>
  );
}

function RequestRows({ requests }: { requests: readonly RecentRequest[] }) {
  const [isAll, setAll] = useState(false);
  const [open, setOpen] = useState<string | null>(null);
  const hasNodes = requests.some(({ node }) => node);
  const rows = isAll ? requests : requests.slice(0, SHOWN);
  return (
    <>
      <PlainTable
        label="Last requests"
        columns={[...COLUMNS, ...(hasNodes ? ["Node"] : [])]}
        actions="Details"
      >
        {rows.map((request) => (
          <RequestRow
            key={request.id}
            request={request}
            hasNodes={hasNodes}
            isOpen={open === request.id}
            onToggle={() => setOpen(open === request.id ? null : request.id)}
          />
        ))}
      </PlainTable>
      {requests.length > SHOWN && (
        <div>
          <Button weight="quiet" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? "Show fewer" : `Show all ${requests.length}`}
          </Button>
        </div>
      )}
    </>
  );
}

interface RequestRowProps {
  request: RecentRequest;
  hasNodes: boolean;
  isOpen: boolean;
  onToggle(): void;
}

function RequestRow({ request, hasNodes, isOpen, onToggle }: RequestRowProps) {
  const details = useId();
  const verdict = verdictOf(request);
  return (
    <Fragment>
      <tr>
        <td className={styles.mono}>
          <time dateTime={request.at} title={exactly(request.at)}>
            {clock(request.at, true)}
          </time>
        </td>
        <td className={styles.mono}>{request.method}</td>
        <td className={styles.address}>
          {request.path}
          <span className={styles.host}>{request.host}</span>
        </td>
        <td className={styles.mono}>{request.status}</td>
        <td>
          <State tone={verdict.tone} icon={ICONS[verdict.tone]}>
            {verdict.text}
          </State>
        </td>
        <td className={styles.mono}>
          {request.complete ? duration(request.duration_microseconds * 1000) : "open"}
        </td>
        <td className={styles.mono}>{request.ip}</td>
        <td className={styles.agent}>
          {request.credential_id ? <RefLink id={request.credential_id} /> : "none"}
        </td>
        {hasNodes && <td>{request.node && <RefLink id={request.node.id}>{request.node.name}</RefLink>}</td>}
        <td className={styles.toggle}>
          <IconButton
            icon={isOpen ? "up" : "chevron"}
            label={`Details of ${request.method} ${request.path} at ${clock(request.at, true)}`}
            aria-expanded={isOpen}
            aria-controls={isOpen ? details : undefined}
            onClick={onToggle}
          />
        </td>
      </tr>
      {isOpen && (
        <tr id={details}>
          <td colSpan={COLUMNS.length + (hasNodes ? 2 : 1)}>
            <RequestDetails request={request} />
          </td>
        </tr>
      )}
    </Fragment>
  );
}

const ICONS = { ok: "check", warn: "alert", bad: "cross", idle: "clock" } as const;

function RequestDetails({ request }: { request: RecentRequest }) {
  const { decisions, edge_id: edge, fault } = request;
  const places = [
    ["Edge", edge, null],
    ["Route", request.route_id, edge],
    ["Backend", request.backend_id, null],
    ["Tunnel", request.tunnel_id, null],
    ["Agent session", request.tunnel_session_id, null],
  ] as const;
  return (
    <div className={styles.details}>
      {request.msg !== "" && (
        <p>
          <Prose text={request.msg} /> <code>{request.error_code}</code>
          {fault !== "" && `, at fault: the ${fault === "service" ? "local service" : fault}`}
        </p>
      )}
      <div>
        <p className={styles.heading}>Decisions in their order</p>
        {decisions.length > 0 ? (
          <Decisions decisions={decisions} isFailed={false} route={undefined} />
        ) : (
          <p>No module is set.</p>
        )}
      </div>
      <dl className={styles.facts}>
        {places
          .filter(([, id]) => id !== "")
          .map(([label, id, parent]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <RefLink id={id} parent={parent} />
              </dd>
            </div>
          ))}
        <div>
          <dt>Bodies</dt>
          <dd>
            {size(request.bytes_in)} from the visitor, {size(request.bytes_out)} to the visitor
          </dd>
        </div>
        <div>
          <dt>Protocol</dt>
          <dd>
            {request.protocol} ({request.scheme})
          </dd>
        </div>
        <div>
          <dt>ID</dt>
          <dd>
            <Copyable text={request.id} what="the ID" />
          </dd>
        </div>
      </dl>
    </div>
  );
}
