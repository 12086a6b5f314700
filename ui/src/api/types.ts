// What the agent's local API says. Everything optional here may be missing in an older agent's answer.

export interface Problem {
  code: string;
  message: string;
}

export type SessionState = "online" | "connecting" | "waiting" | "refused";

export interface Session {
  state: SessionState;
  server_addr: string;
  reason: Problem | null;
  /** RFC 3339; set while `state` is `waiting`. */
  next_try: string | null;
  attempt: number;
  since: string | null;
  legs: { region: string; latency: string }[];
}

export interface Capture {
  bytes: number;
  limit: number;
  count: number;
  dropped: number;
  oldest: string | null;
  pinned?: number;
}

export interface AgentStatus {
  status: "online" | "connecting" | "offline";
  agent_version: string;
  session: Session;
  web_addr: string;
  config_path: string;
  /** What is wrong with the configuration file since it was last saved; the tunnels run on as before. */
  config_error?: string | null;
  pid: number;
  capture: Capture;
}

/** A tunnel as it stands in the configuration file; unknown keys are kept as they are. */
export interface TunnelDefinition {
  proto?: string;
  addr?: string | number;
  domain?: string;
  schemes?: string[];
  inspect?: boolean;
  host_header?: string;
  remote_addr?: string;
  labels?: string[];
  metadata?: string;
  [key: string]: unknown;
}

export type TunnelState = "stopped" | "starting" | "running" | "failed";

export interface ConfiguredTunnel {
  name: string;
  definition: TunnelDefinition;
  state: TunnelState;
  public_url: string | null;
  error: Problem | null;
  /** False for a tunnel that was started from a command line or over the API only. */
  saved: boolean;
}

export interface ConnectionMetrics {
  count: number;
  gauge: number;
  rate1: number;
  p50: number;
  p95: number;
}

export interface RunningTunnel {
  name: string;
  public_url: string;
  proto: string;
  metrics: { conns: ConnectionMetrics; http: Omit<ConnectionMetrics, "gauge"> };
}

/** A socket that listens on this machine. */
export interface ListeningPort {
  port: number;
  address: string;
  /** What to write as `addr` of a tunnel. */
  target: string;
  proto: "http" | "tcp";
  speaks: "http" | "https" | "tcp" | null;
  process: string | null;
  pid: number | null;
  service: string | null;
}

/** The configuration file without its secrets: notes stand in their places. */
export interface ConfigurationText {
  path: string;
  other_files: string[];
  text: string;
  revision: string;
  kept_secrets: number;
}

export interface ConfigurationProblem {
  /** From 1; 0 where no line is meant. */
  line: number;
  column: number;
  key: string;
  message: string;
  code: string;
}

export interface Diagnosis {
  agent_version: string;
  at: string;
  verdict: "OK" | "WARN" | "FAIL";
  checks: {
    name: string;
    subject: string;
    verdict: "OK" | "WARN" | "FAIL";
    milliseconds: number;
    finding: string;
    fix?: string;
  }[];
}

/** One line of the request list. Sizes in bytes, `duration` in nanoseconds. */
export interface Summary {
  id: string;
  tunnel_name: string;
  method: string;
  path: string;
  host: string;
  status_code: number | null;
  status: string | null;
  start: string;
  duration: number | null;
  request_size: number;
  response_size: number;
  remote_addr: string;
  cut: boolean;
  replay_of: string | null;
  error: string | null;
  replay_through?: "local" | "edge" | null;
  pinned?: boolean;
  note?: string | null;
  imported?: boolean;
  /** How many messages of a WebSocket or server-sent events have passed; null for none. */
  frames?: number | null;
  /** More may come. */
  open?: boolean;
}

export interface CapturedMessage {
  proto: string;
  headers: Record<string, string[]>;
  /** Base64 of the head, or of all of the message, as it was on the wire. */
  raw: string;
  /** Bytes of the body that were kept, as they were on the wire. */
  body_size?: number;
}

export interface CapturedRequest {
  id: string;
  tunnel_name: string;
  remote_addr: string;
  start: string;
  duration: number;
  request: CapturedMessage & { method: string; uri: string };
  response: (CapturedMessage & { status: string; status_code: number }) | null;
  replay_of?: string | null;
  replay_through?: "local" | "edge" | null;
  cut?: { request: boolean; response: boolean };
  complete?: { request: boolean; response: boolean };
  error?: string | null;
  trace?: Trace | null;
  timing?: Timing;
  pinned?: boolean;
  note?: string | null;
  imported?: boolean;
  frames?: number | null;
  open?: boolean;
}

/** What the edge decided about a request before it came to the agent. */
export interface Trace {
  id?: string;
  edge?: string;
  route?: string;
  backend?: string;
  decisions?: Decision[];
  microseconds?: number | null;
  queue_microseconds?: number | null;
}

export interface Decision {
  module: string;
  /** What in the module decided; empty where nothing in particular did. */
  rule: string;
  verdict: string;
  microseconds: number;
}

/** Nanoseconds; null for what was not measured. From `sent` on counted from the head's arrival at the agent. */
export interface Timing {
  edge: number | null;
  modules: number | null;
  queue: number | null;
  transit: number | null;
  connect: number | null;
  sent: number | null;
  first_byte: number | null;
  last_byte: number | null;
}

export type AgentEvent =
  | { event: "status"; data: AgentStatus }
  | { event: "tunnels"; data: { tunnels: ConfiguredTunnel[] } }
  | { event: "request"; data: Summary }
  | { event: "request_deleted"; data: { id: string } }
  | { event: "requests_deleted"; data: unknown }
  /** The agent told more than was listened to; everything behind this one may have changed. */
  | { event: "requests_missed"; data: { since: string | null } };
