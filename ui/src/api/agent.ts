// The agent's local API as functions. This file knows paths and types; the host sends the requests.
import type { HostResponse, Host } from "../host/host";
import { errorFromResponse } from "./problem";
import type { paths } from "./local.generated";
import {
  fillPath,
  parseResponse,
  typedRequest,
  type Method,
  type PathOf,
  type PathParameters,
  type Query,
  type Result,
} from "./request";
import type {
  AgentStatus,
  AnnotationChange,
  CapturedRequest,
  ConfigurationText,
  FrameList,
  ReplayCommand,
  RunningTunnel,
  Summary,
  SummaryPage,
  TunnelDefinition,
} from "./types";

/** Selects captured requests: a maximum number, before or after one of them, and a filter. */
export interface SummaryQuery {
  limit: number;
  before?: string;
  since?: string;
  filter?: string;
}

/** The path of a HAR file with the selected requests. */
export function harPath(selection: Partial<SummaryQuery>, secrets: "hide" | "show"): string {
  const query = new URLSearchParams({ secrets });
  for (const [name, value] of Object.entries(selection)) query.set(name, String(value));
  return `/api/requests/har?${query}`;
}

export type AgentApi = ReturnType<typeof agentApi>;

export function agentApi(host: Host) {
  async function send(method: Method, path: string, text: string | null): Promise<HostResponse> {
    const response = await host.request(method, path, text);
    if (response.status >= 200 && response.status < 300) return response;
    throw errorFromResponse(response.status, response.body);
  }

  const request = typedRequest<paths>(async (method, path, body) =>
    parsed(await send(method, path, body === undefined ? null : JSON.stringify(body))),
  );

  async function get<P extends PathOf<paths, "GET">>(
    path: P,
    parameters: PathParameters<P>,
    query: Query<paths, P, "GET">,
  ): Promise<Result<paths, P, "GET">> {
    const search = new URLSearchParams(query);
    const response = await send("GET", `${fillPath(path, parameters)}?${search}`, null);
    return parsed(response) as Result<paths, P, "GET">;
  }

  // Where a type is stated, an older agent leaves out members of the response.
  return {
    status: (): Promise<AgentStatus> => request("GET", "/api/status", {}),
    configured: async () => (await request("GET", "/api/configured", {})).tunnels,
    running: async (): Promise<RunningTunnel[]> => (await request("GET", "/api/tunnels", {})).tunnels,
    save: (name: string, definition: TunnelDefinition) =>
      request("PUT", "/api/configured/{name}", { name }, definition),
    remove: (name: string) => request("DELETE", "/api/configured/{name}", { name }),
    start: (name: string) => request("POST", "/api/configured/{name}/start", { name }, {}),
    stop: (name: string) => request("POST", "/api/configured/{name}/stop", { name }, {}),
    summaries: ({ limit, ...query }: SummaryQuery): Promise<SummaryPage> =>
      get("/api/requests/http/summaries", {}, { limit: String(limit), ...query }),
    /** One exchange with the heads of its messages; bodies are read by range. */
    captured: (id: string): Promise<CapturedRequest> =>
      get("/api/requests/http/{id}", { id }, { raw: "head" }),
    /** The frames after a number, oldest first. */
    frames: (id: string, after: number, limit: number): Promise<FrameList> =>
      get("/api/requests/http/{id}/frames", { id }, { after: String(after), limit: String(limit) }),
    mark: (id: string, marks: AnnotationChange): Promise<Summary> =>
      request("PATCH", "/api/requests/http/{id}", { id }, marks),
    deleteOne: (id: string) => request("DELETE", "/api/requests/http/{id}", { id }),
    /** Replays a request; returns the id of the new captured request, where the agent names it. */
    replay: async (replay: ReplayCommand): Promise<string | null> => {
      const { location } = await send("POST", "/api/requests/http", JSON.stringify(replay));
      return location?.split("/").at(-1) ?? null;
    },
    /** Imports the text of a HAR file and returns the number of imported requests. */
    importHar: async (har: string) => {
      const path = "/api/requests/har";
      // The text is sent as it is: parsing it here would take as much memory again.
      return (parsed(await send("POST", path, har)) as Result<paths, typeof path, "POST">).imported;
    },
    ports: async () => (await request("GET", "/api/ports", {})).ports,
    port: (port: number) => request("GET", "/api/ports/{port}", { port: String(port) }),
    /** Sends one request as a visitor would; returns the status of the response. */
    sample: async (name: string) =>
      (await request("POST", "/api/configured/{name}/sample", { name }, {})).status_code,
    configuration: (): Promise<ConfigurationText> => request("GET", "/api/configuration", {}),
    checkConfiguration: async (text: string, revision: string) =>
      (await request("POST", "/api/configuration/check", {}, { text, revision })).problems,
    saveConfiguration: (text: string, revision: string): Promise<ConfigurationText> =>
      request("PUT", "/api/configuration", {}, { text, revision }),
    diagnose: () => request("POST", "/api/diagnosis", {}, {}),
    deleteAll: () => request("DELETE", "/api/requests/http", {}),
  };
}

/** The parsed body of a response; null for an empty one. */
function parsed({ body }: HostResponse): unknown {
  return parseResponse(body, "agent");
}
