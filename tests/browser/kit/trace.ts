// What the browser records of its own work.
import type { Page } from "@playwright/test";

export interface TraceEvent {
  name: string;
  ph: string;
  ts: number;
  dur?: number;
  /** Of the thread's own time, in which it was not kept waiting by other processes. */
  tdur?: number;
  pid: number;
  tid: number;
  args?: { name?: string };
}

/** The events of these categories while something is done, in microseconds. One trace at a time in a browser. */
export async function traced(
  page: Page,
  categories: readonly string[],
  during: () => Promise<void>,
): Promise<TraceEvent[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: {
      recordMode: "recordContinuously",
      traceBufferSizeInKb: 400_000,
      includedCategories: [...categories],
      excludedCategories: ["*"],
    },
  });
  const complete = new Promise<void>((done) => session.once("Tracing.tracingComplete", () => done()));
  try {
    await during();
  } finally {
    await session.send("Tracing.end");
    await complete;
    await session.detach();
  }
  return events;
}
