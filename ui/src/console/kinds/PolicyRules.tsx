// The rules on the page of their policy.
import { useState } from "react";
import type { IpPolicy, IpPolicyRule } from "../../api/generated";
import { Button, IconButton } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { toast } from "../../parts/toast";
import { Form } from "../form/Form";
import { DeleteDialog } from "../resource/DeleteDialog";
import { Empty } from "../resource/ListPage";
import { Section } from "../resource/PageFrame";
import { ResourceTable } from "../resource/ResourceTable";
import { ipPolicyRules } from "./ipPolicyRules";

export function PolicyRules({ record: policy }: { record: IpPolicy }) {
  const [adding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<IpPolicyRule | null>(null);
  const add = (
    <Button icon="add" onClick={() => setAdding(true)}>
      Add rule
    </Button>
  );
  return (
    <Section
      title="Rules"
      about="An address is admitted if a rule allows it and none denies it. The order does not matter."
      actions={add}
    >
      <ResourceTable
        kind={ipPolicyRules}
        only={(rule) => rule.ip_policy.id === policy.id}
        searchText={policy.id}
        prefix="rules."
        title={ipPolicyRules.title}
        empty={<Empty kind={ipPolicyRules} action={null} />}
        renderActions={(rule) => (
          <IconButton
            icon="trash"
            label={`Delete ${ipPolicyRules.title(rule)}`}
            onClick={() => setDeleting(rule)}
          />
        )}
      />
      <Dialog title="New rule" open={adding} onClose={() => setAdding(false)} wide>
        <Form
          form={ipPolicyRules}
          record={null}
          method="POST"
          path={ipPolicyRules.path}
          fixed={{ ip_policy_id: policy.id }}
          invalidates={[ipPolicyRules.path]}
          submit="Add rule"
          onCancel={() => setAdding(false)}
          onDone={() => {
            toast({ title: "Rule added" });
            setAdding(false);
          }}
        />
      </Dialog>
      {deleting && (
        <DeleteDialog
          one="rule"
          title={ipPolicyRules.title(deleting)}
          path={ipPolicyRules.path}
          record={deleting}
          forgets={[ipPolicyRules.path]}
          onClose={() => setDeleting(null)}
          onDone={() => setDeleting(null)}
        >
          <p>{ipPolicyRules.deletion?.(deleting)}</p>
        </DeleteDialog>
      )}
    </Section>
  );
}
