// A view of the exchanges for React: at most one rendering a frame, however fast requests come in.
import { useEffect, useMemo, useState } from "react";
import { parseFilter } from "../model/filter";
import { ExchangeView } from "../model/view";
import { useServices } from "../services";

export interface ViewHandle {
  view: ExchangeView;
  /** Grows with every change that can be seen. */
  version: number;
  unknown: readonly string[];
}

export function useView(filter: string): ViewHandle {
  const { model } = useServices();
  const [version, setVersion] = useState(0);
  const [view] = useState(() => new ExchangeView(model.exchanges));
  const parsed = useMemo(() => parseFilter(filter), [filter]);

  useEffect(() => {
    let frame: number | null = null;
    const stop = view.open(() => {
      frame ??= requestAnimationFrame(() => {
        frame = null;
        setVersion((before) => before + 1);
      });
    });
    return () => {
      if (frame !== null) cancelAnimationFrame(frame);
      stop();
    };
  }, [view]);

  useEffect(() => view.setFilter(parsed.matches), [view, parsed]);

  return { view, version, unknown: parsed.unknown };
}
