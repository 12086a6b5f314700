// Confirms a change: its effect on visitors, the request, and the button that sends it.
import { asProblem } from "../../api/problem";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import { Dialog, DialogActions } from "../../parts/Dialog";
import type { IconName } from "../../parts/Icon";
import { Notice, ProblemText } from "../../parts/Notice";
import { toast } from "../../parts/toast";
import { useApiMutation, type ApiChange } from "../management";
import { RequestPreview } from "../resource/RequestPreview";
import styles from "./ChangeDialog.module.css";

export interface PlannedChange extends ApiChange {
  body?: Record<string, unknown>;
  /** The body for display, with secrets masked. */
  shown?: Record<string, unknown>;
  title: string;
  /** What visitors get afterwards. */
  sentences: readonly string[];
  verb: string;
  icon: IconName;
  danger: boolean;
  /** The message after success. */
  done: string;
}

export function ChangeDialog({
  plan,
  collection,
  onDone,
  onClose,
}: {
  plan: PlannedChange;
  collection: string;
  onDone?: () => void;
  onClose(): void;
}) {
  const change = useApiMutation([collection]);
  const { method, path, body, shown, title, sentences, verb, icon, danger, done } = plan;
  const problem = change.error && asProblem(change.error);
  const confirm = () =>
    change.mutate(
      { method, path, body },
      {
        onSuccess: () => {
          toast({ title: done });
          onClose();
          onDone?.();
        },
      },
    );
  return (
    <Dialog title={title} open onClose={onClose} wide>
      <div className={styles.content}>
        {sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        <RequestPreview
          method={method}
          path={path}
          {...(body ? { body } : {})}
          {...(shown ? { shown } : {})}
        />
        {problem && (
          <Notice tone="bad" title="The server refused the request" alert>
            <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
          </Notice>
        )}
      </div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button weight={danger ? "danger" : "primary"} icon={icon} busy={change.isPending} onClick={confirm}>
          {verb}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
