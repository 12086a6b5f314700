// A view of the exchanges for React, rendered at most once per frame, however fast requests arrive.
import { useEffect, useMemo, useRef, useState } from "react";
import { Asked, mistakeOf, type FilterProblem } from "../model/asked";
import { understand } from "../model/filter";
import { NextFrame } from "../model/frame";
import { ExchangeView } from "../model/view";
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
const TYPING_MS = 40;

export function useView(filter: string): ViewHandle {
  const { model } = useServices();
  const [version, setVersion] = useState(0);
  const [view] = useState(() => new ExchangeView(model.exchanges));
  const [answer, setAnswer] = useState<{ to: string; done: number; problem: FilterProblem | null } | null>(
    null,
  );
  const understood = useMemo(() => understand(filter), [filter]);
  const typedAt = useRef(Number.NEGATIVE_INFINITY);

  useEffect(() => {
    const frame = new NextFrame(() => setVersion((before) => before + 1));
    const stop = view.open(() => frame.ask());
    return () => {
      frame.cancel();
      stop();
    };
  }, [view]);

  useEffect(() => {
    const now = performance.now();
    const wait = now - typedAt.current < 5 * TYPING_MS ? TYPING_MS : 0;
    typedAt.current = now;
    if (understood.kind === "here") {
      view.setFilter(understood.matches);
      return undefined;
    }
    let stop = () => {};
    const ask =
      understood.kind === "agent"
        ? () => {
            let first = true;
            const asked = new Asked(filter, model.api, model.exchanges, (judged, progress) => {
              if (progress.problem === null && first) view.setFilter(asked.matches, judged);
              else view.judgeAgain(judged);
              first &&= progress.problem !== null;
              setAnswer({ to: filter, ...progress });
            });
            stop = asked.start();
          }
        : () => {
            model.api.summaries({ limit: 0, filter }).catch((thrown: unknown) => {
              setAnswer({ to: filter, done: 1, problem: mistakeOf(thrown) });
            });
          };
    const timer = setTimeout(ask, wait);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [view, model, filter, understood]);

  const heard = answer?.to === filter && understood.kind !== "here" ? answer : null;
  return {
    view,
    version,
    problem: heard?.problem ?? null,
    done: understood.kind === "agent" ? (heard?.done ?? 0) : 1,
  };
}
