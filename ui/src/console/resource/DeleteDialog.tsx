// Confirms the deletion of a record and explains its effect.
import type { ReactNode } from "react";
import type { Base } from "../../api/management";
import { asProblem } from "../../api/problem";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import { Dialog, DialogActions } from "../../parts/Dialog";
import { Notice, ProblemText } from "../../parts/Notice";
import { toast } from "../../parts/toast";
import { useApiMutation } from "../management";
import { capital } from "./CreatePage";
import styles from "./DeleteDialog.module.css";

interface DeleteDialogProps {
  /** The name of the kind: `IP policy`. */
  one: string;
  title: string;
  /** The collection. */
  path: string;
  record: Base;
  forgets: readonly string[];
  /** The effect on traffic, and the dependents. */
  children?: ReactNode;
  verb?: string;
  /** The server would refuse it; the content says why. */
  isRefused?: boolean;
  onDone(): void;
  onClose(): void;
}

const DONE: Readonly<Record<string, string>> = { Delete: "deleted", "Log out": "logged out" };

export function DeleteDialog({
  one,
  title,
  path,
  record,
  forgets,
  children,
  verb = "Delete",
  isRefused = false,
  onDone,
  onClose,
}: DeleteDialogProps) {
  const change = useApiMutation(forgets);
  const problem = change.error && asProblem(change.error);
  return (
    <Dialog title={`${verb} ${title}?`} open onClose={onClose} wide>
      <div className={styles.content}>
        {children}
        {problem && (
          <Notice tone="bad" title="The server refused the request" alert>
            <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
          </Notice>
        )}
      </div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          weight="danger"
          icon="trash"
          busy={change.isPending}
          aria-disabled={isRefused || undefined}
          onClick={() =>
            !isRefused &&
            change.mutate(
              { method: "DELETE", path: `${path}/${record.id}` },
              {
                onSuccess: () => {
                  toast({ title: `${capital(one)} ${DONE[verb] ?? "ended"}` });
                  onDone();
                },
              },
            )
          }
        >
          {verb}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
