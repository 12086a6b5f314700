// The records that a field may reference, of one kind or several.
import { useQueries } from "@tanstack/react-query";
import type { Base } from "../../../api/management";
import { allQuery, useManagement } from "../../management";

/** The parts of a kind that are needed to choose among its records. */
export interface ReferencedKind {
  readonly path: string;
  readonly member: string;
  readonly one: string;
  title(record: Base): string;
}

export interface Candidate {
  id: string;
  title: string;
  /** The label of its kind. */
  one: string;
}

export interface Choices {
  candidates: readonly Candidate[];
  loading: boolean;
  /** At least one list could not be read, such as that of users without administrator rights. */
  failed: boolean;
}

export function useChoices(kinds: readonly ReferencedKind[]): Choices {
  const api = useManagement();
  const answers = useQueries({
    queries: kinds.map((kind) => {
      const { key, ask } = allQuery<Base>(kind);
      return { queryKey: key, queryFn: () => ask(api) };
    }),
  });
  return {
    candidates: answers.flatMap((answer, index) => {
      const kind = kinds[index];
      if (!kind) return [];
      return (answer.data?.records ?? []).map((record) => ({
        id: record.id,
        title: kind.title(record),
        one: kind.one,
      }));
    }),
    loading: answers.some((answer) => answer.isPending),
    failed: answers.some((answer) => answer.isError),
  };
}
