// The current replays of one exchange, newest first.
import { useEffect, useState } from "react";
import type { Summary } from "../api/types";
import { useServices } from "../services";

export function useReplays(of: string): Summary[] {
  const { model } = useServices();
  const [, setVersion] = useState(0);
  useEffect(() => {
    const { exchanges } = model;
    return exchanges.listen((change) => {
      const about = change.kind === "put" ? [...change.added, ...change.changed] : null;
      if (about === null || about.some((seq) => exchanges.at(seq)?.replay_of === of))
        setVersion((before) => before + 1);
    });
  }, [model, of]);
  const found = model.exchanges.replaysOf(of).toReversed();
  return found.map((id) => model.exchanges.find(id)).filter((summary) => summary !== undefined);
}
