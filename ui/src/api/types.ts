// Types of the agent's local API, generated from its description. Members that an older agent, which the desktop app may
// find running, does not send are optional here.
import type * as local from "./local.generated";

/** The type of a response with members that may be missing. */
type Older<T, Missing extends keyof T> = Omit<T, Missing> & Partial<Pick<T, Missing>>;

export type {
  AnnotationChange,
  ConfigurationProblem,
  FrameList,
  FrameView,
  ReplayCommand,
  SessionState,
  TunnelDefinition,
  TunnelState,
} from "./local.generated";

/** An error as a code and a sentence. */
export type Problem = local.Reason;
export type Session = Older<local.SessionView, "server_version">;
export type Capture = Older<local.CaptureGauge, "pinned">;
export type AgentStatus = Older<Omit<local.AgentStatus, "session" | "capture">, "config_error" | "uri"> & {
  session: Session;
  capture: Capture;
};

export type ConfiguredTunnel = local.ConfiguredTunnel;
export type ConnectionMetrics = Older<local.ConnectionMetrics, "rate5" | "rate15" | "p90" | "p99">;
/** The parts of a running tunnel that the pages show. */
export type RunningTunnel = Pick<local.RunningTunnel, "name" | "public_url" | "proto"> & {
  metrics: { conns: ConnectionMetrics; http: Omit<ConnectionMetrics, "gauge"> };
};

export type ListeningPort = local.ListeningPort;
export type ConfigurationText = Older<local.ConfigurationText, "uri">;
export type Diagnosis = local.DiagnosisReport;

/** One line of the request list. */
export type Summary = Older<
  local.RequestSummary,
  "replay_through" | "pinned" | "note" | "imported" | "frames" | "open"
>;

/** A page of the request list, newest first; `next` is the cursor of the next page, null at the end. */
export type SummaryPage = Omit<Older<local.SummaryList, "next" | "cut">, "requests"> & {
  requests: Summary[];
};

export type CapturedMessage = Older<Omit<local.CapturedRequestMessage, "method" | "uri">, "body_size">;

export type CapturedRequest = Older<
  Omit<local.CapturedRequest, "request" | "response" | "trace">,
  | "uri"
  | "replay_of"
  | "replay_through"
  | "timing"
  | "cut"
  | "complete"
  | "error"
  | "pinned"
  | "note"
  | "imported"
  | "frames"
  | "open"
> & {
  request: CapturedMessage & { method: string; uri: string };
  response: (CapturedMessage & { status: string; status_code: number }) | null;
  trace?: Trace | null;
};

/** The edge's decisions about a request; every member may be missing. */
export type Trace = Partial<Omit<local.Trace, "decisions" | "microseconds" | "queue_microseconds">> & {
  decisions?: Decision[];
  microseconds?: number | null;
  queue_microseconds?: number | null;
};

/** A decision; later edges may send other verdicts. */
export type Decision = Omit<local.Decision, "verdict"> & { verdict: string };
export type Timing = local.CaptureTiming;

export type AgentEvent =
  | { event: "status"; data: AgentStatus }
  | {
      event: "tunnels";
      data: Older<Omit<local.ConfiguredTunnelList, "tunnels">, "uri"> & { tunnels: ConfiguredTunnel[] };
    }
  | { event: "request"; data: Summary }
  | Exclude<local.LocalEvent, { event: "status" | "tunnels" | "request" }>;
