// Types of the agent's local API. Optional members may be missing in the response of an older agent.

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
  /** The error in the changed configuration file; the agent keeps the previous configuration. */
  config_error?: string | null;
  pid: number;
  capture: Capture;
}

/** A tunnel as defined in the configuration file; unknown keys are preserved. */
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
  /** False for a tunnel started from the command line or through the API. */
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

/** A listening socket of this machine. */
export interface ListeningPort {
  port: number;
  address: string;
  /** The value for `addr` of a tunnel. */
  target: string;
  proto: "http" | "tcp";
  speaks: "http" | "https" | "tcp" | null;
  process: string | null;
  pid: number | null;
  service: string | null;
}

/** The configuration file with placeholders instead of its secrets. */
export interface ConfigurationText {
  path: string;
  other_files: string[];
  text: string;
  revision: string;
  kept_secrets: number;
}

export interface ConfigurationProblem {
  /** Counted from 1; 0 if the problem has no line. */
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
  /** Number of captured WebSocket messages or server-sent events; null without any. */
  frames?: number | null;
  /** More frames may follow. */
  open?: boolean;
}

export interface CapturedMessage {
  proto: string;
  headers: Record<string, string[]>;
  /** Base64 of the head, or of the whole message, as it was on the wire. */
  raw: string;
  /** Number of captured body bytes, as they were on the wire. */
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

/** The decisions of the edge about a request before it reached the agent. */
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
  /** The deciding part of the module; empty where there is none in particular. */
  rule: string;
  verdict: string;
  microseconds: number;
}

/** Nanoseconds; null if not measured. From `sent` on, counted from the arrival of the head at the agent. */
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
  /** Events were lost because the reader was too slow; everything after this one may have changed. */
  | { event: "requests_missed"; data: { since: string | null } };
