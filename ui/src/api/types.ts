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
}

export interface CapturedMessage {
  proto: string;
  headers: Record<string, string[]>;
  /** Base64 of the complete head and body as they were on the wire. */
  raw: string;
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
  cut?: { request: boolean; response: boolean };
}

export type AgentEvent =
  | { event: "status"; data: AgentStatus }
  | { event: "tunnels"; data: { tunnels: ConfiguredTunnel[] } }
  | { event: "request"; data: Summary }
  | { event: "requests_deleted"; data: unknown };
