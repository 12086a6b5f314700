// The phases of one exchange as bars on one line: from the arrival at the edge to the last byte of the response.
import type { Timing } from "../api/types";

export interface TimingPhase {
  name: string;
  /** Name of the measured phase. */
  means: string;
  /** Nanoseconds since the arrival at the edge. */
  from: number;
  took: number;
  where: "edge" | "tunnel" | "service";
  /** Set for a part of the phase above. */
  part: boolean;
}

/** Builds the phases; those that were not measured are left out. */
export function timingPhases(timing: Timing): TimingPhase[] {
  const phases: TimingPhase[] = [];
  const add = (phase: Omit<TimingPhase, "part" | "took"> & { took: number | null; part?: boolean }) => {
    if (phase.took !== null) phases.push({ part: false, ...phase, took: Math.max(phase.took, 0) });
  };
  const { edge, modules, queue, transit, connect, sent, first_byte: first, last_byte: last } = timing;
  const atAgent = (edge ?? 0) + (transit ?? 0);
  // The edge looks for a tunnel only after all modules have let the request pass.
  const lookupStart = Math.max((edge ?? 0) - (queue ?? 0), 0);
  add({
    name: "At the edge",
    means: "from the arrival until the request was sent to the agent",
    from: 0,
    took: edge,
    where: "edge",
  });
  add({
    name: "Modules",
    means: "time in all modules together",
    from: Math.max(lookupStart - (modules ?? 0), 0),
    took: modules,
    where: "edge",
    part: true,
  });
  add({
    name: "Finding a tunnel",
    means: "until a stream to the agent was open",
    from: lookupStart,
    took: queue,
    where: "edge",
    part: true,
  });
  add({
    name: "Through the tunnel",
    means: "one way, as measured by the session",
    from: edge ?? 0,
    took: transit,
    where: "tunnel",
  });
  add({
    name: "Connecting",
    means: "to the local service; zero on a reused connection",
    from: atAgent,
    took: connect,
    where: "service",
  });
  const begun = connect ?? 0;
  add({
    name: "Sending",
    means: "the rest of the request",
    from: atAgent + begun,
    took: sent === null ? null : sent - begun,
    where: "service",
  });
  const waits = Math.max(begun, Math.min(sent ?? 0, first ?? 0));
  add({
    name: "Waiting",
    means: "until the first byte of the response",
    from: atAgent + waits,
    took: first === null ? null : first - waits,
    where: "service",
  });
  add({
    name: "Receiving",
    means: "from the first to the last byte of the response",
    from: atAgent + (first ?? 0),
    took: first === null || last === null ? null : last - first,
    where: "service",
  });
  return phases;
}

/** Nanoseconds from the arrival at the edge to the end of the last phase. */
export function totalDuration(phases: readonly TimingPhase[]): number {
  return Math.max(0, ...phases.map(({ from, took }) => from + took));
}
