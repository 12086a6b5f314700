// The agent's local API as functions. This file knows paths and types; the host sends the requests.
import type { HostResponse, Host } from "../host/host";
import { ApiError, errorFromResponse } from "./problem";
import type {
  AgentStatus,
  CapturedRequest,
  ConfigurationProblem,
  ConfigurationText,
  ConfiguredTunnel,
  Diagnosis,
  ListeningPort,
  RunningTunnel,
  Summary,
  TunnelDefinition,
} from "./types";

const configuredPath = (name: string) => `/api/configured/${encodeURIComponent(name)}`;

const requestPath = (id: string) => `/api/requests/http/${encodeURIComponent(id)}`;

/** Selects captured requests: a maximum number, before or after one of them, and a filter. */
export interface SummaryQuery {
  limit: number;
  before?: string;
  since?: string;
  filter?: string;
}

/** Newest first. */
export interface SummaryPage {
  requests: Summary[];
  /** Cursor of the next page; missing in the response of an older agent, null at the end. */
  next?: string | null;
}

/** A captured request to replay, with the changes to make. */
export interface Replay {
  id: string;
  tunnel_name?: string;
  through?: "local" | "edge";
  method?: string;
  path?: string;
  /** All headers in order; they replace the captured ones. */
  headers?: [string, string][];
  body?: string;
  body_base64?: string;
}

/** The path of a HAR file with the selected requests. */
export function harPath(selection: Partial<SummaryQuery>, secrets: "hide" | "show"): string {
  const query = new URLSearchParams({ secrets });
  for (const [name, value] of Object.entries(selection)) query.set(name, String(value));
  return `/api/requests/har?${query}`;
}

export type AgentApi = ReturnType<typeof agentApi>;

export function agentApi(host: Host) {
  async function send(method: string, path: string, text: string | null): Promise<HostResponse> {
    const response = await host.request(method, path, text);
    if (response.status >= 200 && response.status < 300) return response;
    throw errorFromResponse(response.status, response.body);
  }

  async function call(method: string, path: string, body?: unknown): Promise<string> {
    return (await send(method, path, body === undefined ? null : JSON.stringify(body))).body;
  }

  async function read<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await call(method, path, body);
    try {
      return JSON.parse(response) as T;
    } catch {
      throw new ApiError("ANSWER_UNREADABLE", "The agent's response could not be parsed.", 502);
    }
  }

  return {
    status: () => read<AgentStatus>("GET", "/api/status"),
    configured: async () => (await read<{ tunnels: ConfiguredTunnel[] }>("GET", "/api/configured")).tunnels,
    running: async () => (await read<{ tunnels: RunningTunnel[] }>("GET", "/api/tunnels")).tunnels,
    save: (name: string, definition: TunnelDefinition) =>
      read<ConfiguredTunnel>("PUT", configuredPath(name), definition),
    remove: (name: string) => call("DELETE", configuredPath(name)),
    start: (name: string) => read<ConfiguredTunnel>("POST", `${configuredPath(name)}/start`, {}),
    stop: (name: string) => read<ConfiguredTunnel>("POST", `${configuredPath(name)}/stop`, {}),
    summaries: (selection: SummaryQuery) => {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(selection)) query.set(name, String(value));
      return read<SummaryPage>("GET", `/api/requests/http/summaries?${query}`);
    },
    /** One exchange with the heads of its messages; bodies are read by range. */
    captured: (id: string) => read<CapturedRequest>("GET", `${requestPath(id)}?raw=head`),
    mark: (id: string, marks: { pinned?: boolean; note?: string | null }) =>
      read<Summary>("PATCH", requestPath(id), marks),
    deleteOne: (id: string) => call("DELETE", requestPath(id)),
    /** Replays a request; returns the id of the new captured request, where the agent names it. */
    replay: async (replay: Replay): Promise<string | null> => {
      const { location } = await send("POST", "/api/requests/http", JSON.stringify(replay));
      return location?.split("/").at(-1) ?? null;
    },
    /** Imports the text of a HAR file and returns the number of imported requests. */
    importHar: async (text: string): Promise<number> => {
      const { body } = await send("POST", "/api/requests/har", text);
      return Number((JSON.parse(body) as { imported?: unknown }).imported ?? 0);
    },
    ports: async () => (await read<{ ports: ListeningPort[] }>("GET", "/api/ports")).ports,
    port: (port: number) => read<ListeningPort>("GET", `/api/ports/${port}`),
    /** Sends one request as a visitor would; returns the status of the response. */
    sample: async (name: string) =>
      (await read<{ status_code: number }>("POST", `${configuredPath(name)}/sample`, {})).status_code,
    configuration: () => read<ConfigurationText>("GET", "/api/configuration"),
    checkConfiguration: async (text: string, revision: string) =>
      (
        await read<{ problems: ConfigurationProblem[] }>("POST", "/api/configuration/check", {
          text,
          revision,
        })
      ).problems,
    saveConfiguration: (text: string, revision: string) =>
      read<ConfigurationText>("PUT", "/api/configuration", { text, revision }),
    diagnose: () => read<Diagnosis>("POST", "/api/diagnosis", {}),
    deleteAll: () => call("DELETE", "/api/requests/http"),
  };
}
