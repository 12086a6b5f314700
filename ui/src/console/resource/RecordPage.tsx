// The page of one record: its facts, its form, its related views and its deletion.
import { useState } from "react";
import type { Base } from "../../api/management";
import { ApiError } from "../../api/problem";
import { Button } from "../../parts/Button";
import { toast } from "../../parts/toast";
import { useNavigateTo, useRouteParam } from "../address";
import { Form } from "../form/Form";
import { recordQuery, useApiQuery } from "../management";
import { Failure, Loading } from "../shell/PageStates";
import { Copyable, Moment } from "./cells";
import { capital } from "./CreatePage";
import { DeleteDialog } from "./DeleteDialog";
import { Dependents, dependentsOf } from "./Dependents";
import type { Kind } from "./kind";
import { Facts, PageFrame, Section } from "./PageFrame";

export function RecordPage({ kind }: { kind: Kind }) {
  const id = useRouteParam("id");
  const query = useApiQuery(recordQuery(kind, id, kind.live?.every ?? kind.refresh));
  const back = { to: kind.path, label: kind.plural };
  const record = query.data?.id === id ? query.data : undefined;
  if (record) return <LoadedRecord kind={kind} record={record} />;
  if (!query.isError) return <Loading />;
  const isMissing = query.error instanceof ApiError && query.error.status === 404;
  return (
    <PageFrame title={isMissing ? `This ${kind.singular} is gone` : capital(kind.singular)} back={back}>
      <Failure
        thrown={query.error}
        title={isMissing ? `There is no ${kind.singular} with this ID` : "It could not be loaded"}
        retry={() => void query.refetch()}
      />
    </PageFrame>
  );
}

function LoadedRecord({ kind, record }: { kind: Kind; record: Base }) {
  const go = useNavigateTo();
  const [deleting, setDeleting] = useState(false);
  const { More, Stays, live } = kind;
  const found = useApiQuery({
    ...dependentsOf(kind.path, record.id),
    enabled: deleting && kind.dependents === true,
  });
  const verb = live?.removal ?? "Delete";
  const removable = !live || live.removable;
  const form = (
    <Form
      key={record.id}
      form={kind}
      record={record}
      method="PATCH"
      path={`${kind.path}/${record.id}`}
      invalidates={[kind.path, ...(kind.touches ?? [])]}
      submit="Save"
      onDone={() => toast({ title: `${capital(kind.singular)} changed` })}
    />
  );
  return (
    <PageFrame
      title={kind.title(record)}
      back={{ to: kind.path, label: kind.plural }}
      actions={
        removable && (
          <Button weight="danger" icon="trash" onClick={() => setDeleting(true)}>
            {verb}
          </Button>
        )
      }
    >
      <Facts
        facts={[
          ...(kind.facts?.(record) ?? []),
          { label: "ID", value: <Copyable text={record.id} what="the ID" /> },
          ...(record.created_at ? [{ label: "Created", value: <Moment at={record.created_at} /> }] : []),
        ]}
      />
      {/* What the record is for comes before its description. */}
      {More && <More record={record} />}
      {kind.fields.length > 0 && (More ? <Section title="Details">{form}</Section> : form)}
      {deleting && (
        <DeleteDialog
          one={kind.singular}
          title={kind.title(record)}
          path={kind.path}
          record={record}
          verb={verb}
          isRefused={found.data?.some(({ on_delete: role }) => role === "refuses") ?? false}
          forgets={[kind.path, ...(kind.touches ?? [])]}
          onClose={() => setDeleting(false)}
          onDone={() => go(kind.path)}
        >
          {kind.deletion && <p>{kind.deletion(record)}</p>}
          {kind.dependents && (
            <Dependents
              path={kind.path}
              record={record}
              one={kind.singular}
              {...(Stays
                ? { renderStays: (dependents) => <Stays record={record} dependents={dependents} /> }
                : {})}
            />
          )}
        </DeleteDialog>
      )}
    </PageFrame>
  );
}
