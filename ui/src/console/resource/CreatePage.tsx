// Creates a record. A token is shown once before the page continues.
import { useState } from "react";
import type { Base } from "../../api/management";
import { toast } from "../../parts/toast";
import { useNavigateTo } from "../address";
import type { Kind } from "./kind";
import { PageFrame } from "./PageFrame";
import { ResourceForm } from "./ResourceForm";
import { TokenOnce } from "./TokenOnce";

export function CreatePage({ kind }: { kind: Kind }) {
  const go = useNavigateTo();
  const [made, setMade] = useState<(Base & { token?: string | null }) | null>(null);
  const open = (record: Base) => {
    toast({ title: `${capital(kind.one)} created` });
    go(`${kind.path}/${record.id}`);
  };
  return (
    <PageFrame title={`New ${kind.one}`} about={kind.about} back={{ to: kind.path, label: kind.many }}>
      <ResourceForm<Base & { token?: string | null }>
        fields={kind.fields}
        record={null}
        method="POST"
        path={kind.path}
        forgets={[kind.path, ...(kind.touches ?? [])]}
        submit={`Create ${kind.one}`}
        onCancel={() => go(kind.path)}
        onDone={(record) => (record.token ? setMade(record) : open(record))}
      />
      {made?.token && <TokenOnce what={kind.one} token={made.token} onStored={() => open(made)} />}
    </PageFrame>
  );
}

export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
