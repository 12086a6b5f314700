// Where the nodes of a graph are: arranged anew only when its shape or a text has changed, not with its traffic.
import { useEffect, useMemo, useRef, useState } from "react";
import { Arranger } from "./arranger";
import type { Graph } from "./graph";
import { boxesOf, layout, type Layout } from "./layout";
import { pageMeasure } from "./measure";
import { planOf, shapeOf } from "./plan";

interface Drawn {
  layout: Layout | null;
  failed: Error | null;
}

/** The last layout stays until the next one is there. `room`: the width into which it has to fit if possible. */
export function useLayout(graph: Graph, room: number): Drawn {
  const [drawn, setDrawn] = useState<Drawn>({ layout: null, failed: null });
  const [measure] = useState(pageMeasure);
  const arranger = useRef<Arranger>(null);
  const shape = useMemo(() => shapeOf(graph), [graph]);
  const [{ arranged, of }, setArranged] = useState({ arranged: graph, of: shape });
  if (of !== shape) setArranged({ arranged: graph, of: shape });

  useEffect(
    () => () => {
      arranger.current?.close();
      arranger.current = null;
    },
    [],
  );

  useEffect(() => {
    let current = true;
    const plan = planOf(arranged, measure, room);
    arranger.current ??= new Arranger();
    arranger.current.arrange(boxesOf(plan)).then(
      (arrangement) => {
        if (current) setDrawn({ layout: layout(plan, arrangement), failed: null });
      },
      (failed: Error) => {
        if (current) setDrawn({ layout: null, failed });
      },
    );
    return () => {
      current = false;
    };
  }, [arranged, measure, room]);

  return drawn;
}
