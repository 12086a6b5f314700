// The secret that signs the events of a destination: replaced by a new one, which is shown once.
import { useState } from "react";
import type { EventDestination } from "../../api/generated";
import { asProblem } from "../../api/problem";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import { Dialog, DialogActions } from "../../parts/Dialog";
import { Notice, ProblemText } from "../../parts/Notice";
import { useApiMutation } from "../management";
import { Section } from "../resource/PageFrame";
import { TokenOnce } from "../resource/TokenOnce";

export function SigningSecret({ record }: { record: EventDestination }) {
  const change = useApiMutation(["/event_destinations"]);
  const [asking, setAsking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const problem = change.error && asProblem(change.error);
  const close = () => {
    change.reset();
    setAsking(false);
  };
  const rotate = () =>
    change.mutate(
      { method: "PATCH", path: `/event_destinations/${record.id}`, body: { rotate_secret: true } },
      {
        onSuccess: (changed) => {
          setSecret(changed.secret ?? null);
          close();
        },
      },
    );
  return (
    <Section
      title="Signing secret"
      about="Receivers verify with it that events come from this server. It was shown once, when it was made."
      actions={<Button onClick={() => setAsking(true)}>Make a new secret…</Button>}
    >
      {asking && (
        <Dialog title="Make a new secret?" open onClose={close}>
          <p>
            For 24 hours, events are signed with the former secret, too. Set the new one at the receiver until
            then.
          </p>
          {problem && (
            <Notice tone="bad" title="The secret was not changed" alert>
              <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
            </Notice>
          )}
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button weight="primary" busy={change.isPending} onClick={rotate}>
              Make a new secret
            </Button>
          </DialogActions>
        </Dialog>
      )}
      {secret && <TokenOnce what="event destination" secret={secret} onStored={() => setSecret(null)} />}
    </Section>
  );
}
