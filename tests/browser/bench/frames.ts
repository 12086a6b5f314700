// Frames of a page as the browser traces them: how long script, style and layout kept its main thread in each.
import type { CDPSession, Page } from "@playwright/test";
import { type TraceEvent, traced } from "../kit/trace";

const CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline.frame", "v8"];

/** Work that is ours: script, what collects its garbage, style and layout. Painting depends on the machine's graphics. */
const WORK = new Set([
  "FunctionCall",
  "EvaluateScript",
  "EventDispatch",
  "FireAnimationFrame",
  "FireIdleCallback",
  "TimerFire",
  "RunMicrotasks",
  "v8.run",
  "MinorGC",
  "MajorGC",
  "UpdateLayoutTree",
  "RecalculateStyles",
  "Layout",
]);

export interface Frames {
  /** Milliseconds of work in each frame by the clock, ascending. */
  clock: number[];
  /** The same without what other processes took meanwhile. */
  own: number[];
  seconds: number;
}

export async function tracedFrames(page: Page, during: () => Promise<void>): Promise<Frames> {
  let seconds = 0;
  const events = await traced(page, CATEGORIES, async () => {
    const from = performance.now();
    await during();
    seconds = (performance.now() - from) / 1000;
  });
  return { ...perFrame(events), seconds };
}

function perFrame(events: readonly TraceEvent[]): Pick<Frames, "clock" | "own"> {
  const threads = new Map<string, number>();
  for (const { name, pid, tid } of events)
    if (name === "FireAnimationFrame") threads.set(`${pid}/${tid}`, (threads.get(`${pid}/${tid}`) ?? 0) + 1);
  const [main] = [...threads].toSorted((a, b) => b[1] - a[1]).map(([thread]) => thread);
  const page = events.filter(({ pid, tid }) => `${pid}/${tid}` === main);
  const begins = page
    .filter(({ name }) => name === "BeginMainThreadFrame")
    .map(({ ts }) => ts)
    .toSorted((a, b) => a - b);
  if (begins.length < 30) throw new Error(`the browser traced ${begins.length} frames only`);
  const work = page
    .filter(({ name, ph, dur }) => ph === "X" && dur !== undefined && WORK.has(name))
    .toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  const clock = begins.map(() => 0);
  const own = begins.map(() => 0);
  let frame = 0;
  let counted = 0;
  for (const { ts, dur = 0, tdur = dur } of work) {
    // What lies inside something that was counted is counted already.
    if (ts < counted) continue;
    counted = ts + dur;
    while (frame + 1 < begins.length && (begins[frame + 1] ?? Infinity) <= ts) frame += 1;
    clock[frame] = (clock[frame] ?? 0) + dur / 1000;
    own[frame] = (own[frame] ?? 0) + tdur / 1000;
  }
  const ascending = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
  return { clock: ascending(clock), own: ascending(own) };
}

/** Bytes of the page's JavaScript heap that are in use after garbage was collected. */
export async function heap(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize;
}

export function at(ascending: readonly number[], share: number): number {
  return ascending[Math.min(Math.floor(ascending.length * share), ascending.length - 1)] ?? Number.NaN;
}
