// The records that a field may reference, of one kind or several.
import { useQueries } from "@tanstack/react-query";
import type { Base, Collection } from "../../../api/management";
import { allQuery, apiQueryOptions, useManagement } from "../../management";

/** The parts of a kind that are needed to choose among its records. */
export interface ReferencedKind<T extends Base = Base> extends Collection<T> {
  readonly singular: string;
  title(record: T): string;
}

export interface Candidate {
  id: string;
  title: string;
  /** The label of its kind. */
  singular: string;
}

export interface Choices {
  candidates: readonly Candidate[];
  loading: boolean;
  /** At least one list could not be read, such as that of users without administrator rights. */
  failed: boolean;
}

export function useChoices(kinds: readonly ReferencedKind[]): Choices {
  const api = useManagement();
  const queries = useQueries({
    queries: kinds.map((kind) => apiQueryOptions(api, allQuery(kind))),
  });
  return {
    candidates: queries.flatMap((result, index) => {
      const kind = kinds[index];
      if (!kind) return [];
      return (result.data?.records ?? []).map((record) => ({
        id: record.id,
        title: kind.title(record),
        singular: kind.singular,
      }));
    }),
    loading: queries.some((result) => result.isPending),
    failed: queries.some((result) => result.isError),
  };
}
