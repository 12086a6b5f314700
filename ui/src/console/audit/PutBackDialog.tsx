// Confirms that a change is put back: the requests, what they do not restore, and later changes of the same record.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { AuditEvent } from "../../api/generated";
import { collection } from "../../api/management";
import { asProblem } from "../../api/problem";
import type { Method } from "../../api/request";
import { adviceFor } from "../../model/advice";
import { counted } from "../../model/format";
import { Button } from "../../parts/Button";
import { Dialog, DialogActions } from "../../parts/Dialog";
import { Notice, ProblemText } from "../../parts/Notice";
import { Prose } from "../../parts/Prose";
import { toast } from "../../parts/toast";
import { listQuery, useApiQuery, useManagement } from "../management";
import { inside } from "../resource/kind";
import { RequestPreview } from "../resource/RequestPreview";
import { differences, settingName } from "./difference";
import styles from "./audit.module.css";

export function PutBackDialog({ event, onClose }: { event: AuditEvent; onClose(): void }) {
  const api = useManagement();
  const client = useQueryClient();
  const { calls, note } = event.put_back;
  const later = useLaterChanges(event);
  const restore = useMutation<void, Error>({
    mutationFn: async () => {
      for (const { method, path, body } of calls) await api.send(method as Method, path, body ?? undefined);
    },
    // Other records may show the one that was put back.
    onSettled: () => client.invalidateQueries(),
  });
  const problem = restore.error && asProblem(restore.error);
  const confirm = () =>
    restore.mutate(undefined, {
      onSuccess: () => {
        toast({ title: event.operation === "deleted" ? "Created again" : "Put back" });
        onClose();
      },
    });
  return (
    <Dialog title="Put this change back?" open onClose={onClose} wide>
      <div className={styles.dialog}>
        <p>
          {note ? <Prose text={note} /> : `These settings get their former values: ${settingsOf(event)}.`}
        </p>
        {later > 0 && (
          <p>
            The record was changed {counted(later, "time")} since. Only the settings below get their former
            values; the others stay as they are now.
          </p>
        )}
        {calls.map(({ method, path, body }) => (
          <RequestPreview
            key={`${method} ${path}`}
            method={method as Method}
            path={path}
            {...(body ? { body } : {})}
          />
        ))}
        {problem && (
          <Notice tone="bad" title="The server refused the request" alert>
            <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
          </Notice>
        )}
      </div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button weight="primary" icon="replay" busy={restore.isPending} onClick={confirm}>
          Put back
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** The names of the settings that a change set. */
function settingsOf({ before, after }: AuditEvent): string {
  return differences(before, after)
    .changes.map(({ path }) => inside(settingName(path)))
    .join("; ");
}

/** The number of later changes of the record, up to a page of them. */
function useLaterChanges(event: AuditEvent): number {
  const filter = { object_id: event.object_id, since: event.created_at };
  const found = useApiQuery(listQuery(collection("/audit_events"), { limit: 100, filter })).data;
  const place = found?.records.findIndex(({ id }) => id === event.id) ?? 0;
  return event.operation === "deleted" ? 0 : Math.max(0, place);
}
