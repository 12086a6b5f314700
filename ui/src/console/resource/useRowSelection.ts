// The selected rows of a list. They stay selected while the page is turned or the search changes.
import { useState } from "react";
import type { Base } from "../../api/management";

export interface RowSelection<T extends Base> {
  records: readonly T[];
  has(record: T): boolean;
  set(records: readonly T[], isSelected: boolean): void;
  clear(): void;
}

export function useRowSelection<T extends Base>(): RowSelection<T> {
  const [selected, setSelected] = useState<ReadonlyMap<string, T>>(new Map());
  return {
    records: [...selected.values()],
    has: ({ id }) => selected.has(id),
    set: (records, isSelected) =>
      setSelected((former) => {
        const next = new Map(former);
        for (const record of records) {
          if (isSelected) next.set(record.id, record);
          else next.delete(record.id);
        }
        return next;
      }),
    clear: () => setSelected(new Map()),
  };
}
