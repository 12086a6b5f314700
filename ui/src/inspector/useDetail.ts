// Fetches one exchange in full when it is selected and again when its response has arrived.
import { useEffect, useState } from "react";
import { asProblem } from "../api/problem";
import type { Problem, Summary } from "../api/types";
import type { Detail } from "../model/details";
import { useServices } from "../services";

export type Reading =
  { state: "reading" } | { state: "read"; detail: Detail } | { state: "failed"; problem: Problem };

/** Whether an exchange can no longer change except for its annotations. */
export function isComplete({ duration, error, open }: Summary): boolean {
  return (duration !== null || error !== null) && !open;
}

export function useDetail(id: string, complete: boolean): Reading {
  const { model } = useServices();
  const [loaded, setLoaded] = useState<{ id: string; reading: Reading }>({
    id,
    reading: { state: "reading" },
  });
  useEffect(() => {
    let active = true;
    model.details.read(id, complete).then(
      (detail) => active && setLoaded({ id, reading: { state: "read", detail } }),
      (thrown: unknown) =>
        active && setLoaded({ id, reading: { state: "failed", problem: asProblem(thrown) } }),
    );
    return () => {
      active = false;
    };
  }, [model, id, complete]);
  return loaded.id === id ? loaded.reading : { state: "reading" };
}
