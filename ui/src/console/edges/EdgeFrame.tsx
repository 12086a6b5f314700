// Shared by the pages of all edges: loading, public addresses, tabs, settings and deletion.
import { useState, type ComponentType, type ReactNode } from "react";
import type { TrafficPoint } from "../../api/generated";
import type { Base } from "../../api/management";
import { ApiError } from "../../api/problem";
import { Button } from "../../parts/Button";
import { Tabs } from "../../parts/Tabs";
import { toast } from "../../parts/toast";
import { useAddressSearch, useNavigateTo, useRouteParam } from "../address";
import { Form } from "../form/Form";
import { recordQuery, useApiQuery } from "../management";
import { LastMinute } from "../requests/LastMinute";
import { Copyable, Moment } from "../resource/cells";
import type { Kind } from "../resource/kind";
import { Facts, PageFrame } from "../resource/PageFrame";
import { Failure, Loading } from "../shell/PageStates";
import { ChangeDialog } from "./ChangeDialog";
import { lastMinuteText, useLastMinute, inUseWarning } from "./lastMinute";
import { removalOfEdge } from "./plannedChanges";
import styles from "./EdgeFrame.module.css";

export interface EdgeRecord extends Base {
  hostports: string[];
}

export interface TabProps<T extends EdgeRecord> {
  edge: T;
  kind: Kind<T>;
}

export interface Tab<T extends EdgeRecord> {
  value: string;
  label(record: T): string;
  Content: ComponentType<TabProps<T>>;
}

interface EdgeFrameProps<T extends EdgeRecord> {
  kind: Kind<T>;
  /** The first one is open initially. The settings follow them. */
  tabs: readonly Tab<T>[];
  facts(record: T): readonly { label: string; value: ReactNode }[];
}

/** Polling interval in milliseconds, because others may change the edge. */
export const POLL_INTERVAL_MS = 5_000;

export function EdgeFrame<T extends EdgeRecord>({ kind, tabs, facts }: EdgeFrameProps<T>) {
  const id = useRouteParam("id");
  const query = useApiQuery(recordQuery(kind, id, POLL_INTERVAL_MS));
  const record = query.data?.id === id ? query.data : undefined;
  if (record) return <LoadedEdge kind={kind} record={record} tabs={tabs} facts={facts} />;
  if (!query.isError) return <Loading />;
  return <Missing kind={kind} thrown={query.error} retry={() => void query.refetch()} />;
}

export function Missing({ kind, thrown, retry }: { kind: Kind; thrown: unknown; retry(): void }) {
  const isMissing = thrown instanceof ApiError && thrown.status === 404;
  return (
    <PageFrame
      title={isMissing ? `This ${kind.singular} is gone` : kind.singular}
      back={{ to: kind.path, label: kind.plural }}
    >
      <Failure
        thrown={thrown}
        title={isMissing ? `There is no ${kind.singular} with this ID` : "It could not be loaded"}
        retry={retry}
      />
    </PageFrame>
  );
}

function LoadedEdge<T extends EdgeRecord>({ kind, record, tabs, facts }: EdgeFrameProps<T> & { record: T }) {
  const go = useNavigateTo();
  const [{ tab }, change] = useAddressSearch();
  const [deleting, setDeleting] = useState(false);
  const lastMinute = useLastMinute(record.id);
  const passes = kind.path === "/edges/https" ? "request" : "connection";
  const open = tabs.find(({ value }) => value === tab);
  const shown = tab === "settings" ? "settings" : (open?.value ?? tabs[0]?.value ?? "settings");
  const Content = (open ?? tabs[0])?.Content;
  const path = `${kind.path}/${record.id}`;
  const lastMinuteOf = (point: TrafficPoint) =>
    passes === "request" ? <LastMinute point={point} page={path} /> : lastMinuteText(point, passes);
  return (
    <PageFrame
      title={kind.title(record)}
      back={{ to: kind.path, label: kind.plural }}
      actions={
        <Button weight="danger" icon="trash" onClick={() => setDeleting(true)}>
          Delete
        </Button>
      }
    >
      <Facts
        facts={[
          ...facts(record),
          { label: "Last minute", value: lastMinute ? lastMinuteOf(lastMinute) : "…" },
          { label: "ID", value: <Copyable text={record.id} what="the ID" /> },
          ...(record.created_at ? [{ label: "Created", value: <Moment at={record.created_at} /> }] : []),
        ]}
      />
      <div className={styles.tabs}>
        <Tabs
          label={`Parts of the ${kind.singular}`}
          value={shown}
          onChange={(next) => change({ tab: next, stage: undefined })}
          items={[
            ...tabs.map(({ value, label }) => ({ value, label: label(record) })),
            { value: "settings", label: "Settings" },
          ]}
        >
          <div className={styles.panel}>
            {shown === "settings" ? (
              <Form
                key={record.id}
                form={kind}
                record={record}
                method="PATCH"
                path={path}
                invalidates={[kind.path]}
                submit="Save"
                onDone={() => toast({ title: "Edge changed" })}
              />
            ) : (
              Content && <Content edge={record} kind={kind} />
            )}
          </div>
        </Tabs>
      </div>
      {deleting && (
        <ChangeDialog
          plan={removalOfEdge(kind.title(record), path, [
            kind.deletion?.(record) ?? "",
            ...inUseWarning(lastMinute, passes),
          ])}
          collection={kind.path}
          onDone={() => go(kind.path)}
          onClose={() => setDeleting(false)}
        />
      )}
    </PageFrame>
  );
}
