// Deletes several records of a kind after naming what depends on each of them. Those in use are left out.
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import type { Base } from "../../api/management";
import type { Dependent } from "../../api/generated";

import { counted } from "../../model/format";
import { Button } from "../../parts/Button";
import { Dialog, DialogActions } from "../../parts/Dialog";
import { Notice } from "../../parts/Notice";
import { toast } from "../../parts/toast";
import { apiQueryOptions, useManagement } from "../management";
import styles from "./BulkDelete.module.css";
import { dependentsOf, List } from "./Dependents";
import { inside, type Kind } from "./kind";
import { useDeletions } from "./useDeletions";

interface BulkDeleteProps {
  kind: Kind;
  records: readonly Base[];
  /** Called with each record that is deleted. */
  onDeleted(record: Base): void;
  onClose(): void;
}

export function BulkDelete({ kind, records, onDeleted, onClose }: BulkDeleteProps) {
  const api = useManagement();
  // The dialog keeps naming the records while they disappear from the selection.
  const [all] = useState(records);
  const queries = useQueries({
    queries: all.map(({ id }) => ({
      ...apiQueryOptions(api, dependentsOf(kind.path, id)),
      enabled: kind.dependents === true,
    })),
  });
  const isLoading = kind.dependents === true && queries.some(({ isPending }) => isPending);
  const items = all.map((record, index) => ({ record, dependents: queries[index]?.data ?? [] }));
  const free = items.filter(({ dependents }) => !isUsed(dependents)).map(({ record }) => record);
  const { deleted, failures, isBusy, run } = useDeletions(kind, onDeleted);
  const remaining = free.filter(({ id }) => !deleted.has(id));
  const verb = kind.live?.removal ?? "Delete";
  const send = async () => {
    const failed = await run(remaining);
    if (failed > 0) return;
    toast({ title: `${countedRecords(kind, remaining.length)} deleted` });
    if (free.length === all.length) onClose();
  };
  return (
    <Dialog title={`${verb} ${countedRecords(kind, all.length)}?`} open onClose={onClose} wide>
      <ul className={styles.records}>
        {items.map(({ record, dependents }) => (
          <li key={record.id}>
            <p className={styles.title}>
              {kind.title(record)}
              {deleted.has(record.id) && <span className={styles.note}> deleted</span>}
            </p>
            {kind.deletion && !deleted.has(record.id) && (
              <p className={styles.note}>{kind.deletion(record)}</p>
            )}
            {!deleted.has(record.id) && <DependentsOfOne dependents={dependents} />}
            {failures.has(record.id) && (
              <Notice tone="bad" title="It could not be deleted" alert>
                <p>{failures.get(record.id)}</p>
              </Notice>
            )}
          </li>
        ))}
      </ul>
      {isLoading && <p role="status">Loading dependents…</p>}
      <DialogActions>
        <Button onClick={onClose}>{remaining.length === 0 ? "Close" : "Cancel"}</Button>
        <Button
          weight="danger"
          icon="trash"
          busy={isBusy}
          aria-disabled={isLoading || remaining.length === 0 || undefined}
          onClick={() => !isLoading && remaining.length > 0 && void send()}
        >
          {verb} {counted(remaining.length, "record")}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function DependentsOfOne({ dependents }: { dependents: readonly Dependent[] }) {
  if (dependents.length === 0) return null;
  const isRefused = isUsed(dependents);
  const shown = isRefused ? dependents.filter(({ on_delete }) => on_delete === "refuses") : dependents;
  return (
    <Notice
      tone={isRefused ? "bad" : "warn"}
      title={isRefused ? "In use: it is left out until these no longer refer to it" : "These refer to it"}
    >
      <List dependents={shown} />
    </Notice>
  );
}

const isUsed = (dependents: readonly Dependent[]): boolean =>
  dependents.some(({ on_delete }) => on_delete === "refuses");

function countedRecords({ singular, plural }: Kind, count: number): string {
  return counted(count, singular, inside(plural));
}
