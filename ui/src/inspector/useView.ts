// A view of the exchanges for React, rendered at most once per frame, however fast requests arrive.
import { useEffect, useMemo, useRef, useState } from "react";
import { RemoteFilter, filterProblemOf, type FilterProblem } from "../model/remoteFilter";
import { understand } from "../model/filter";
import { NextFrame } from "../model/frame";
import { ExchangeView } from "../model/exchangeView";
import { useServices } from "../services";

export interface ViewHandle {
  view: ExchangeView;
  /** Grows with every visible change. */
  version: number;
  /** The mistake in the filter; the list still shows the result of the previous one. */
  problem: FilterProblem | null;
  /** Progress of the agent's search, from 0 to 1. */
  done: number;
}

/** Debounce while typing; the first letter after a pause is searched at once. */
const DEBOUNCE_MS = 40;

export function useView(filter: string): ViewHandle {
  const { model } = useServices();
  const [version, setVersion] = useState(0);
  const [view] = useState(() => new ExchangeView(model.exchanges));
  const [result, setResult] = useState<{ to: string; done: number; problem: FilterProblem | null } | null>(
    null,
  );
  const compiled = useMemo(() => understand(filter), [filter]);
  const typedAt = useRef(Number.NEGATIVE_INFINITY);

  useEffect(() => {
    const frame = new NextFrame(() => setVersion((before) => before + 1));
    const stop = view.open(() => frame.request());
    return () => {
      frame.cancel();
      stop();
    };
  }, [view]);

  useEffect(() => {
    const now = performance.now();
    const wait = now - typedAt.current < 5 * DEBOUNCE_MS ? DEBOUNCE_MS : 0;
    typedAt.current = now;
    if (compiled.kind === "here") {
      view.setFilter(compiled.matches);
      return undefined;
    }
    let stop = () => {};
    const search =
      compiled.kind === "agent"
        ? () => {
            let first = true;
            const remote = new RemoteFilter(filter, model.api, model.exchanges, (evaluated, progress) => {
              if (progress.problem === null && first) view.setFilter(remote.matches, evaluated);
              else view.evaluateAgain(evaluated);
              first &&= progress.problem !== null;
              setResult({ to: filter, ...progress });
            });
            stop = remote.start();
          }
        : () => {
            model.api.summaries({ limit: 0, filter }).catch((thrown: unknown) => {
              setResult({ to: filter, done: 1, problem: filterProblemOf(thrown) });
            });
          };
    const timer = setTimeout(search, wait);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [view, model, filter, compiled]);

  const current = result?.to === filter && compiled.kind !== "here" ? result : null;
  return {
    view,
    version,
    problem: current?.problem ?? null,
    done: compiled.kind === "agent" ? (current?.done ?? 0) : 1,
  };
}
