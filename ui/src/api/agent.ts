// The agent's local API as functions. It knows paths and shapes; the host carries the requests.
import type { Host } from "../host/host";
import { ApiError, fromAnswer } from "./problem";
import type {
  AgentStatus,
  CapturedRequest,
  ConfiguredTunnel,
  RunningTunnel,
  Summary,
  TunnelDefinition,
} from "./types";

const configured = (name: string) => `/api/configured/${encodeURIComponent(name)}`;

export type AgentApi = ReturnType<typeof agentApi>;

export function agentApi(host: Host) {
  async function call(method: string, path: string, body?: unknown): Promise<string> {
    const answer = await host.request(method, path, body === undefined ? null : JSON.stringify(body));
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    throw fromAnswer(answer.status, answer.body);
  }

  async function read<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await call(method, path, body);
    try {
      return JSON.parse(answer) as T;
    } catch {
      throw new ApiError("ANSWER_UNREADABLE", "The agent's answer could not be read.", 502);
    }
  }

  return {
    status: () => read<AgentStatus>("GET", "/api/status"),
    configured: async () => (await read<{ tunnels: ConfiguredTunnel[] }>("GET", "/api/configured")).tunnels,
    running: async () => (await read<{ tunnels: RunningTunnel[] }>("GET", "/api/tunnels")).tunnels,
    save: (name: string, definition: TunnelDefinition) =>
      read<ConfiguredTunnel>("PUT", configured(name), definition),
    remove: (name: string) => call("DELETE", configured(name)),
    start: (name: string) => read<ConfiguredTunnel>("POST", `${configured(name)}/start`, {}),
    stop: (name: string) => read<ConfiguredTunnel>("POST", `${configured(name)}/stop`, {}),
    summaries: async (limit: number, before?: string) => {
      const query = new URLSearchParams({ limit: String(limit), ...(before ? { before } : {}) });
      return (await read<{ requests: Summary[] }>("GET", `/api/requests/http/summaries?${query}`)).requests;
    },
    captured: (id: string) => read<CapturedRequest>("GET", `/api/requests/http/${encodeURIComponent(id)}`),
    replay: (id: string, tunnel: string | null) =>
      call("POST", "/api/requests/http", tunnel === null ? { id } : { id, tunnel_name: tunnel }),
    deleteAll: () => call("DELETE", "/api/requests/http"),
  };
}
