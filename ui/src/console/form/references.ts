// The records that a field may refer to, of one kind or several.
import { useQueries } from "@tanstack/react-query";
import type { Base, Collection } from "../../api/management";
import { allQuery, apiQueryOptions, useManagement } from "../management";

/** The parts of a kind that are needed to choose among its records. */
export interface ReferencedKind<T extends Base = Base> extends Collection<T> {
  readonly singular: string;
  title(record: T): string;
  /** Tells records with one title apart; by default the ends of their ids. */
  detail?(record: T): string;
}

export interface Candidate {
  id: string;
  title: string;
  /** Empty where it says no more than the title. */
  detail: string;
  kind: ReferencedKind;
}

export interface References {
  candidates: readonly Candidate[];
  loading: boolean;
  /** At least one list could not be read, such as that of users without administrator rights. */
  failed: boolean;
}

/** Polling interval in milliseconds while a form is open: new records appear automatically. */
export const POLL_INTERVAL_MS = 4_000;

export function useReferences(kinds: readonly ReferencedKind[], every?: number): References {
  const api = useManagement();
  const queries = useQueries({
    queries: kinds.map((kind) => apiQueryOptions(api, allQuery(kind, { every }))),
  });
  return {
    candidates: queries.flatMap(({ data }, index) => {
      const kind = kinds[index];
      return kind && data ? data.records.map((record) => candidate(kind, record)) : [];
    }),
    loading: queries.some((result) => result.isPending),
    failed: queries.some((result) => result.isError),
  };
}

function candidate(kind: ReferencedKind, record: Base): Candidate {
  const title = kind.title(record);
  const detail = kind.detail ? kind.detail(record) : `…${record.id.slice(-4)}`;
  return { id: record.id, title, detail: detail === title ? "" : detail, kind };
}
