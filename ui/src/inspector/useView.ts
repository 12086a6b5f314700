// A view of the exchanges for React: at most one rendering a frame, however fast requests come in.
import { useEffect, useMemo, useRef, useState } from "react";
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
  const scheduled = useRef(false);
  const [view, setView] = useState(() => new ExchangeView(model.exchanges, () => {}));
  const parsed = useMemo(() => parseFilter(filter), [filter]);

  useEffect(() => {
    let frame = 0;
    const live = new ExchangeView(model.exchanges, () => {
      if (scheduled.current) return;
      scheduled.current = true;
      frame = requestAnimationFrame(() => {
        scheduled.current = false;
        setVersion((before) => before + 1);
      });
    });
    setView(live);
    return () => {
      cancelAnimationFrame(frame);
      scheduled.current = false;
      live.close();
    };
  }, [model]);

  useEffect(() => view.setFilter(parsed.matches), [view, parsed]);

  return { view, version, unknown: parsed.unknown };
}
