// Creates a record. A token or secret is shown once before the page continues.
import { useState } from "react";
import type { Base } from "../../api/management";
import { toast } from "../../parts/toast";
import { useNavigateTo } from "../address";
import { Form } from "../form/Form";
import type { ChangedRecord } from "../management";
import type { Kind } from "./kind";
import { PageFrame } from "./PageFrame";
import { TokenOnce } from "./TokenOnce";

export function CreatePage({ kind }: { kind: Kind }) {
  const go = useNavigateTo();
  const [created, setCreated] = useState<ChangedRecord | null>(null);
  const open = (record: Base) => {
    toast({ title: `${capital(kind.singular)} created` });
    go(`${kind.path}/${record.id}`);
  };
  return (
    <PageFrame title={`New ${kind.singular}`} about={kind.about} back={{ to: kind.path, label: kind.plural }}>
      <Form
        form={kind}
        record={null}
        method="POST"
        path={kind.path}
        invalidates={[kind.path, ...(kind.touches ?? [])]}
        submit={`Create ${kind.singular}`}
        onCancel={() => go(kind.path)}
        onDone={(record) => (record.token || record.secret ? setCreated(record) : open(record))}
      />
      {created?.token && (
        <TokenOnce what={kind.singular} token={created.token} onStored={() => open(created)} />
      )}
      {created?.secret && (
        <TokenOnce what={kind.singular} secret={created.secret} onStored={() => open(created)} />
      )}
    </PageFrame>
  );
}

export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
