// Deletes records one after the other, and remembers which could not be deleted and why.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Base } from "../../api/management";
import { ApiError, asProblem } from "../../api/problem";
import { useManagement } from "../management";
import type { Kind } from "./kind";

export function useDeletions(kind: Kind, onDeleted: (record: Base) => void) {
  const api = useManagement();
  const client = useQueryClient();
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  const [failures, setFailures] = useState<ReadonlyMap<string, string>>(new Map());
  const [isBusy, setBusy] = useState(false);

  /** Returns the number of failures. */
  const run = async (records: readonly Base[]): Promise<number> => {
    if (isBusy) return 0;
    setBusy(true);
    const failed = new Map<string, string>();
    for (const record of records) {
      try {
        await api.send("DELETE", `${kind.path}/${record.id}`);
      } catch (thrown) {
        // Deleted by another user meanwhile.
        if (!(thrown instanceof ApiError && thrown.status === 404)) {
          failed.set(record.id, asProblem(thrown).message);
          continue;
        }
      }
      setDeleted((former) => new Set(former).add(record.id));
      onDeleted(record);
    }
    setFailures(failed);
    await Promise.all(
      [kind.path, ...(kind.touches ?? [])].map((path) => client.invalidateQueries({ queryKey: [path] })),
    );
    setBusy(false);
    return failed.size;
  };
  return { deleted, failures, isBusy, run };
}
