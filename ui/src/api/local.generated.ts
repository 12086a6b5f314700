// Paths, bodies and responses of the agent's local API. Made from api/agent-openapi.json by `npm run gen`, never edited.

export interface paths {
  "/api/": {
    parameters: {};
    /** List the paths of the API */
    get: operations["get_index"];
  };
  "/api/configuration": {
    parameters: {};
    /** Get the configuration file */
    get: operations["get_configuration"];
    /** Save the configuration file */
    put: operations["save_configuration"];
  };
  "/api/configuration/check": {
    parameters: {};
    /** Check an edited configuration file */
    post: operations["check_configuration"];
  };
  "/api/configured": {
    parameters: {};
    /** List all tunnels, running or not */
    get: operations["list_configured_tunnels"];
  };
  "/api/configured/{name}": {
    parameters: {};
    /** Save a tunnel in the configuration file */
    put: operations["save_tunnel"];
    /** Remove a tunnel from the configuration file */
    delete: operations["remove_tunnel"];
  };
  "/api/configured/{name}/sample": {
    parameters: {};
    /** Send a sample request to a tunnel */
    post: operations["send_sample"];
  };
  "/api/configured/{name}/start": {
    parameters: {};
    /** Start a configured tunnel */
    post: operations["start_configured_tunnel"];
  };
  "/api/configured/{name}/stop": {
    parameters: {};
    /** Stop a configured tunnel */
    post: operations["stop_configured_tunnel"];
  };
  "/api/diagnosis": {
    parameters: {};
    /** Diagnose the path from the server to the local services */
    post: operations["run_diagnosis"];
  };
  "/api/endpoints": {
    parameters: {};
    /** List endpoints */
    get: operations["list_endpoints"];
    /** Start an endpoint */
    post: operations["start_endpoint"];
  };
  "/api/endpoints/{name}": {
    parameters: {};
    /** Get an endpoint */
    get: operations["get_endpoint"];
    /** Replace an endpoint */
    put: operations["replace_endpoint"];
    /** Stop an endpoint */
    delete: operations["stop_endpoint"];
  };
  "/api/events": {
    parameters: {};
    /** Follow the live feed */
    get: operations["follow_events"];
  };
  "/api/openapi.json": {
    parameters: {};
    /** Get this description */
    get: operations["get_description"];
  };
  "/api/ports": {
    parameters: {};
    /** List sockets that listen on this machine */
    get: operations["list_ports"];
  };
  "/api/ports/{port}": {
    parameters: {};
    /** Probe a socket that listens on this machine */
    get: operations["probe_port"];
  };
  "/api/requests/har": {
    parameters: {};
    /** Export captured requests as a HAR file */
    get: operations["export_har"];
    /** Import the entries of a HAR file */
    post: operations["import_har"];
  };
  "/api/requests/http": {
    parameters: {};
    /** List whole captured requests */
    get: operations["list_requests"];
    /** Replay a captured request; `Location` names the new one */
    post: operations["replay_request"];
    /** Delete all captured requests */
    delete: operations["delete_requests"];
  };
  "/api/requests/http/summaries": {
    parameters: {};
    /** List captured requests in the short form */
    get: operations["list_summaries"];
  };
  "/api/requests/http/{id}": {
    parameters: {};
    /** Get a captured request */
    get: operations["get_request"];
    /** Delete a captured request */
    delete: operations["delete_request"];
    /** Pin a captured request or write a note */
    patch: operations["annotate_request"];
  };
  "/api/requests/http/{id}/curl": {
    parameters: {};
    /** Get a captured request as a `curl` command */
    get: operations["get_curl_command"];
  };
  "/api/requests/http/{id}/frames": {
    parameters: {};
    /** List WebSocket messages or server-sent events */
    get: operations["list_frames"];
  };
  "/api/requests/http/{id}/request/body": {
    parameters: {};
    /** Get the body of a captured request */
    get: operations["get_request_body"];
  };
  "/api/requests/http/{id}/response/body": {
    parameters: {};
    /** Get the body of a captured response */
    get: operations["get_response_body"];
  };
  "/api/status": {
    parameters: {};
    /** Get the status */
    get: operations["get_status"];
  };
  "/api/tunnels": {
    parameters: {};
    /** List running tunnels */
    get: operations["list_tunnels"];
    /** Start a tunnel */
    post: operations["start_tunnel"];
  };
  "/api/tunnels/{name}": {
    parameters: {};
    /** Get a running tunnel */
    get: operations["get_tunnel"];
    /** Stop a tunnel */
    delete: operations["stop_tunnel"];
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description The state of the agent as a whole. */
    AgentState: "online" | "connecting" | "offline";
    /** @description The agent's status. */
    AgentStatus: {
      /** @description The state of the agent as a whole. */
      status: components["schemas"]["AgentState"];
      /** @description The agent's version. */
      agent_version: string;
      /** @description The session with the server. */
      session: components["schemas"]["SessionView"];
      /** @description The address of the local API; null if it listens nowhere. */
      web_addr: string | null;
      /** @description The configuration file. */
      config_path: string;
      /** @description The problems of the configuration file since it was last saved; the tunnels run on unchanged. */
      config_error: string | null;
      /**
       * Format: uint32
       * @description The agent's process id.
       */
      pid: number;
      /** @description The memory of captured requests. */
      capture: components["schemas"]["CaptureGauge"];
      /** @description The path of this resource. */
      uri: string;
    };
    /** @description A change of pin and note. A member that is left out changes nothing. */
    AnnotationChange: {
      /** @description Pins or unpins. */
      pinned?: boolean;
      /** @description Replaces the note; null removes it. */
      note?: string | null;
    };
    /** @description The paths of the local API. */
    ApiIndex: {
      uri: string;
      tunnels_uri: string;
      endpoints_uri: string;
      requests_uri: string;
      summaries_uri: string;
      har_uri: string;
      configured_uri: string;
      configuration_uri: string;
      ports_uri: string;
      status_uri: string;
      events_uri: string;
    };
    /** @description The memory of captured requests. */
    CaptureGauge: {
      /**
       * Format: uint64
       * @description Bytes in use.
       */
      bytes: number;
      /**
       * Format: uint64
       * @description The most bytes that may be in use.
       */
      limit: number;
      /**
       * Format: uint64
       * @description Captured requests that are kept.
       */
      count: number;
      /**
       * Format: uint64
       * @description Pinned ones among them.
       */
      pinned: number;
      /**
       * Format: uint64
       * @description Requests that were evicted to make room.
       */
      dropped: number;
      /** @description The start of the oldest request that is kept. */
      oldest: string | null;
    };
    /** @description Durations in nanoseconds; null for what was not measured. Those from `sent` on are counted from the arrival of the request's head at the agent. */
    CaptureTiming: {
      /**
       * Format: uint64
       * @description Time at the edge.
       */
      edge: number | null;
      /**
       * Format: uint64
       * @description Time that modules took, part of `edge`.
       */
      modules: number | null;
      /**
       * Format: uint64
       * @description Time that the edge took to reach the agent, part of `edge`.
       */
      queue: number | null;
      /**
       * Format: uint64
       * @description From the server to the agent, half of the session's round trip.
       */
      transit: number | null;
      /**
       * Format: uint64
       * @description Connecting to the local service, before the arrival counts; null on a connection that was there already.
       */
      connect: number | null;
      /**
       * Format: uint64
       * @description Until the last byte of the request.
       */
      sent: number | null;
      /**
       * Format: uint64
       * @description Until the head of the response had arrived.
       */
      first_byte: number | null;
      /**
       * Format: uint64
       * @description Until the end of the exchange.
       */
      last_byte: number | null;
    };
    /** @description A whole captured request. */
    CapturedRequest: {
      /** @description The path of this resource. */
      uri: string;
      /** @description 16 hexadecimal digits that grow with time. */
      id: string;
      /** @description The tunnel's name, followed by its protocol in parentheses. */
      tunnel_name: string;
      /** @description The visitor's address. */
      remote_addr: string;
      /** @description The time of the request. */
      start: string;
      /**
       * Format: uint64
       * @description Nanoseconds until the exchange ended; 0 while it goes on.
       */
      duration: number;
      /** @description The request. */
      request: components["schemas"]["CapturedRequestMessage"];
      /** @description The response; null without one. */
      response: components["schemas"]["CapturedResponseMessage"] | null;
      /** @description The id of the request that this one replays. */
      replay_of: string | null;
      /** @description The path that the replay took. */
      replay_through: components["schemas"]["ReplayPath"] | null;
      /** @description The edge's decisions about the request. */
      trace: components["schemas"]["Trace"] | null;
      /** @description Durations of the parts of the exchange. */
      timing: components["schemas"]["CaptureTiming"];
      /** @description Messages of which part was not kept. */
      cut: components["schemas"]["MessageFlags"];
      /** @description Messages that have passed completely. */
      complete: components["schemas"]["MessageFlags"];
      /** @description The reason why there is no whole response. */
      error: string | null;
      /** @description Evicted last. */
      pinned: boolean;
      /** @description The owner's note. */
      note: string | null;
      /** @description Read from a HAR file. */
      imported: boolean;
      /**
       * Format: uint64
       * @description The number of WebSocket frames or server-sent events so far; null for none.
       */
      frames: number | null;
      /** @description More may come. */
      open: boolean;
    };
    /** @description The request of an exchange. */
    CapturedRequestMessage: {
      /** @description The request method. */
      method: string;
      /** @description The version, such as `HTTP/1.1`. */
      proto: string;
      /** @description All values of each header, under the name as it was first written. */
      headers: {
        [key: string]: string[];
      };
      /** @description The request target. */
      uri: string;
      /** @description Base64 of the message as it was on the wire, or of its head alone. */
      raw: string;
      /**
       * Format: uint64
       * @description Bytes of the body that are kept, as they were on the wire.
       */
      body_size: number;
    };
    /** @description The response of an exchange. */
    CapturedResponseMessage: {
      /** @description The status with its reason phrase. */
      status: string;
      /**
       * Format: uint16
       * @description The status.
       */
      status_code: number;
      /** @description The version, such as `HTTP/1.1`. */
      proto: string;
      /** @description All values of each header, under the name as it was first written. */
      headers: {
        [key: string]: string[];
      };
      /** @description Base64 of the message as it was on the wire, or of its head alone. */
      raw: string;
      /**
       * Format: uint64
       * @description Bytes of the body that are kept, as they were on the wire.
       */
      body_size: number;
    };
    /** @description The outcome of checking an edit. */
    ConfigurationCheck: {
      /** @description The edit could be saved. */
      valid: boolean;
      /** @description The problems. */
      problems: components["schemas"]["ConfigurationProblem"][];
    };
    /** @description An edited configuration file. */
    ConfigurationEdit: {
      /** @description The text; placeholders stand for the secrets they replaced. */
      text: string;
      /** @description The revision that was read. */
      revision: string;
    };
    /** @description A problem of a configuration file. */
    ConfigurationProblem: {
      /**
       * Format: uint64
       * @description The line, from 1; 0 if no line is meant.
       */
      line: number;
      /**
       * Format: uint64
       * @description The column, from 1; 0 if no line is meant.
       */
      column: number;
      /** @description The key. */
      key: string;
      /** @description The sentence for a person. */
      message: string;
      /** @description The stable code to act on. */
      code: string;
    };
    /** @description The configuration file, with placeholders for its secrets. */
    ConfigurationText: {
      /** @description The file. */
      path: string;
      /** @description Further files of the configuration, which are not shown. */
      other_files: string[];
      /** @description The text. */
      text: string;
      /** @description The revision to send back with an edit. */
      revision: string;
      /**
       * Format: uint64
       * @description The number of placeholders.
       */
      kept_secrets: number;
      /** @description The path of this resource. */
      uri: string;
    };
    /** @description A tunnel that exists, running or not. */
    ConfiguredTunnel: {
      /** @description The name. */
      name: string;
      /** @description The keys as they are written, with secrets as stars. */
      definition: components["schemas"]["TunnelDefinition"];
      /** @description The state. */
      state: components["schemas"]["TunnelState"];
      /** @description The public address while it is known. */
      public_url: string | null;
      /** @description The reason of a failure. */
      error: components["schemas"]["Reason"] | null;
      /** @description Why the local service of a started tunnel cannot be reached, if that is known. */
      service: components["schemas"]["Reason"] | null;
      /** @description In the configuration file; other tunnels end with the agent. */
      saved: boolean;
    };
    /** @description Configured tunnels. */
    ConfiguredTunnelList: {
      /** @description The tunnels. */
      tunnels: components["schemas"]["ConfiguredTunnel"][];
      /** @description The path of this resource. */
      uri: string;
    };
    /** @description Numbers of visitors' connections. Rates are per second: moving averages over 1, 5 and 15 minutes, which take in each five seconds when they are over. Percentiles are durations in nanoseconds of connections that have ended, within one percent; 0 without one. */
    ConnectionMetrics: {
      /** Format: uint64 */
      count: number;
      /**
       * Format: uint64
       * @description Open at the moment.
       */
      gauge: number;
      /** Format: double */
      rate1: number;
      /** Format: double */
      rate5: number;
      /** Format: double */
      rate15: number;
      /** Format: uint64 */
      p50: number;
      /** Format: uint64 */
      p90: number;
      /** Format: uint64 */
      p95: number;
      /** Format: uint64 */
      p99: number;
    };
    /** @description A captured request as a command for `sh`. */
    CurlCommand: {
      /** @description The command. */
      command: string;
      /** @description The path that the command takes. */
      through: components["schemas"]["ReplayPath"];
      /** @description `show` or `hide`. */
      secrets: string;
    };
    /** @description Decision of one module. */
    Decision: {
      /** @description Module or restriction, such as `ip_restriction`. */
      module: string;
      /** @description Deciding part, such as the id of a rule or a pattern; empty if there is none. */
      rule: string;
      /** @description Decision. */
      verdict: components["schemas"]["Verdict"];
      /**
       * Format: uint64
       * @description The duration of the decision.
       */
      microseconds: number;
    };
    /** @description A check of a diagnosis. */
    DiagnosisCheck: {
      /** @description The kind: `dns`, `tcp`, `tls`, `protocol`, `latency`, `clock`, `service` and so on. */
      name: string;
      /** @description The address or name that was checked; empty if there is only one. */
      subject: string;
      /** @description The verdict. */
      verdict: components["schemas"]["DiagnosisVerdict"];
      /**
       * Format: double
       * @description The duration of the check; for `latency` the round trip and for `clock` the difference that it measured.
       */
      milliseconds: number;
      /** @description The finding. */
      finding: string;
      /** @description The remedy. */
      fix?: string;
    };
    /** @description The report of a diagnosis. */
    DiagnosisReport: {
      /** @description The agent's version. */
      agent_version: string;
      /** @description The time at which the diagnosis began. */
      at: string;
      /** @description The worst verdict of all checks. */
      verdict: components["schemas"]["DiagnosisVerdict"];
      /** @description The checks, in order. */
      checks: components["schemas"]["DiagnosisCheck"][];
    };
    /** @description The verdict of a check; later ones are worse. */
    DiagnosisVerdict: "OK" | "WARN" | "FAIL";
    /** @description Endpoints. */
    EndpointList: {
      /** @description The endpoints. */
      endpoints: components["schemas"]["EndpointView"][];
      /** @description The path of this resource. */
      uri: string;
    };
    /** @description The local service of an endpoint. */
    EndpointUpstream: {
      /** @description The address. */
      url: string;
      /** @description `http1` or `http2`, for HTTP. */
      protocol?: string;
      /** @description The version of the PROXY protocol that is sent: `1` or `2`. */
      proxy_protocol?: string;
    };
    /** @description A published tunnel in the words of version 3 of the configuration. */
    EndpointView: {
      /** @description The name. */
      name: string;
      /** @description The path of this resource. */
      uri: string;
      /** @description The public address. */
      url: string;
      /** @description The local service. */
      upstream: components["schemas"]["EndpointUpstream"];
      /** @description Always `public`. */
      bindings: string[];
      /** @description The owner's text. */
      metadata: string;
      /** @description Requests are captured. */
      inspect: boolean;
      /** @description Connections and requests so far. */
      metrics: components["schemas"]["TunnelMetrics"];
    };
    /** @description The fields of a server-sent event. */
    EventFields: {
      /** @description The event type; null for the default. */
      event: string | null;
      /** @description The event id. */
      id: string | null;
      /** @description The data lines, joined. */
      data: string;
    };
    /**
     * @description The kind of a frame: an opcode of RFC 6455 section 5.2, or a server-sent event.
     * @enum {string}
     */
    FrameKind: "continuation" | "text" | "binary" | "close" | "ping" | "pong" | "event";
    /** @description A page of frames. */
    FrameList: {
      /** @description The frames, oldest first. */
      frames: components["schemas"]["FrameView"][];
      /**
       * Format: uint64
       * @description The `after` of the next page; null at the end.
       */
      next: number | null;
      /**
       * Format: uint64
       * @description Frames after `after` that have made room for newer ones.
       */
      dropped: number;
      /**
       * Format: uint64
       * @description All frames that have passed.
       */
      count: number;
      /** @description More may come. */
      open: boolean;
      /** @description The reason why frames are no longer followed. */
      error: string | null;
      /** @description The path of this resource. */
      uri: string;
    };
    /** @description The side that sent a frame. */
    FrameSender: "visitor" | "service";
    /** @description A frame of a WebSocket (RFC 6455, section 5.2), or a server-sent event. */
    FrameView: {
      /**
       * Format: uint64
       * @description The number within the exchange, from 1.
       */
      number: number;
      /** @description The time of its last byte. */
      time: string;
      /**
       * Format: uint64
       * @description Nanoseconds after the start of the request.
       */
      offset: number;
      /** @description The side that sent it. */
      from: components["schemas"]["FrameSender"];
      /** @description The kind. */
      kind: components["schemas"]["FrameKind"];
      /** @description The final frame of its message. */
      last: boolean;
      /** @description Compressed with `permessage-deflate` (RFC 7692) and given that way. */
      compressed: boolean;
      /**
       * Format: uint64
       * @description The length of the data in bytes.
       */
      length: number;
      /** @description Part of the data was not kept. */
      cut: boolean;
      /** @description The data, if it is UTF-8 and not compressed. */
      text: string | null;
      /** @description The data in Base64, if it is not given as text. */
      base64: string | null;
      /** @description The fields of a server-sent event. */
      event?: components["schemas"]["EventFields"];
    };
    /** @description The outcome of an import. */
    HarImport: {
      /**
       * Format: uint64
       * @description The number of entries that were imported.
       */
      imported: number;
    };
    /** @description A socket that listens on this machine and could be published. */
    ListeningPort: {
      /**
       * Format: uint16
       * @description The port.
       */
      port: number;
      /** @description The address it listens on. */
      address: string;
      /** @description The `addr` to write into a tunnel. */
      target: string;
      /** @description The protocol of a suitable tunnel. */
      proto: components["schemas"]["TunnelProtocol"];
      /** @description The protocol it speaks; null if it was not probed or did not respond. */
      speaks: components["schemas"]["PortProtocol"] | null;
      /** @description The process's name. */
      process: string | null;
      /**
       * Format: uint32
       * @description The process id.
       */
      pid: number | null;
      /** @description The probable software, such as `Vite` or `PostgreSQL`. */
      service: string | null;
    };
    /** @description Sockets that listen on this machine, the most likely ones first. */
    ListeningPortList: {
      /** @description The sockets. */
      ports: components["schemas"]["ListeningPort"][];
      /** @description The path of this resource. */
      uri: string;
    };
    /** @description An error. `error_code` has the numbers that existing client libraries know; `details.code` is the code to act on. */
    LocalApiError: {
      /**
       * Format: uint16
       * @description The number.
       */
      error_code: number;
      /**
       * Format: uint16
       * @description The status of the response.
       */
      status_code: number;
      /** @description A short text. */
      msg: string;
      /** @description The code, the whole sentence and further facts. */
      details: components["schemas"]["LocalErrorDetails"];
    };
    /** @description The details of an error. */
    LocalErrorDetails: {
      /** @description The sentence for a person. */
      err: string;
      /** @description The stable code to act on, such as `ERR_POSTERN_8120`. */
      code: string;
      /** @description The problems of a configuration file that was not saved. */
      problems?: components["schemas"]["ConfigurationProblem"][];
    } & {
      [key: string]: unknown;
    };
    /** @description An event: the `event:` field and the JSON of `data:`. */
    LocalEvent:
      | {
          /** @constant */
          event: "status";
          data: components["schemas"]["AgentStatus"];
        }
      | {
          /** @constant */
          event: "tunnels";
          data: components["schemas"]["ConfiguredTunnelList"];
        }
      | {
          /** @constant */
          event: "request";
          data: components["schemas"]["RequestSummary"];
        }
      | {
          /** @constant */
          event: "request_deleted";
          data: components["schemas"]["RequestDeleted"];
        }
      | {
          /** @constant */
          event: "requests_deleted";
          data: components["schemas"]["RequestsDeleted"];
        }
      | {
          /** @constant */
          event: "requests_missed";
          data: components["schemas"]["RequestsMissed"];
        };
    /** @description A fact about each of the two messages. */
    MessageFlags: {
      /** @description Holds for the request. */
      request: boolean;
      /** @description Holds for the response. */
      response: boolean;
    };
    /** @description The protocol that a listening port speaks. */
    PortProtocol: "http" | "https" | "tcp";
    /** @description An error as a code and a sentence. */
    Reason: {
      /** @description The stable code to act on. */
      code: string;
      /** @description The sentence for a person. */
      message: string;
    };
    /** @description A captured request to send again, and its changes. */
    ReplayCommand: {
      /** @description The captured request. */
      id: string;
      /** @description Another tunnel to send it through. */
      tunnel_name?: string;
      /** @description The path to take; `local` by default. */
      through?: components["schemas"]["ReplayPath"];
      /** @description Another method. */
      method?: string;
      /** @description Another path with its query. */
      path?: string;
      /** @description Other headers. */
      headers?: components["schemas"]["ReplayHeaders"];
      /** @description Another body, as text. */
      body?: string;
      /** @description Another body, in Base64. */
      body_base64?: string;
    };
    /** @description Headers of a replay. */
    ReplayHeaders:
      | [string, string][]
      | {
          [key: string]: unknown;
        };
    /** @description The path that a replay takes. */
    ReplayPath: "local" | "edge";
    /** @description The id of a deleted request. */
    RequestDeleted: {
      /** @description The id. */
      id: string;
    };
    /** @description A page of whole captured requests, newest first. */
    RequestList: {
      /** @description The path of this resource. */
      uri: string;
      /** @description The captured requests. */
      requests: components["schemas"]["CapturedRequest"][];
      /** @description The `before` of the next page; null at the end. */
      next: string | null;
      /** @description The call reached its limit of work before the page was full. */
      cut: boolean;
    };
    /** @description Numbers of answered requests, in the form of those of connections. Durations are those from the arrival of the request's head at the agent to the end of the response. */
    RequestMetrics: {
      /** Format: uint64 */
      count: number;
      /** Format: double */
      rate1: number;
      /** Format: double */
      rate5: number;
      /** Format: double */
      rate15: number;
      /** Format: uint64 */
      p50: number;
      /** Format: uint64 */
      p90: number;
      /** Format: uint64 */
      p95: number;
      /** Format: uint64 */
      p99: number;
    };
    /** @description The short form of a captured request: no headers and no bytes. */
    RequestSummary: {
      /** @description 16 hexadecimal digits that grow with time. */
      id: string;
      /** @description The tunnel's name, followed by its protocol in parentheses. */
      tunnel_name: string;
      /** @description The request method. */
      method: string;
      /** @description The request target. */
      path: string;
      /** @description The value of `Host`. */
      host: string;
      /**
       * Format: uint16
       * @description The status of the response; null without one.
       */
      status_code: number | null;
      /** @description The status with its reason phrase. */
      status: string | null;
      /** @description The time of the request. */
      start: string;
      /**
       * Format: uint64
       * @description Nanoseconds until the exchange ended; null while it goes on.
       */
      duration: number | null;
      /**
       * Format: uint64
       * @description Bytes of the request that have passed.
       */
      request_size: number;
      /**
       * Format: uint64
       * @description Bytes of the response that have passed.
       */
      response_size: number;
      /** @description The visitor's address. */
      remote_addr: string;
      /** @description Part of a message was not kept. */
      cut: boolean;
      /** @description The id of the request that this one replays. */
      replay_of: string | null;
      /** @description The path that the replay took. */
      replay_through: components["schemas"]["ReplayPath"] | null;
      /** @description The reason why there is no whole response. */
      error: string | null;
      /** @description Evicted last. */
      pinned: boolean;
      /** @description The owner's note. */
      note: string | null;
      /** @description Read from a HAR file. */
      imported: boolean;
      /**
       * Format: uint64
       * @description The number of WebSocket frames or server-sent events so far; null for none.
       */
      frames: number | null;
      /** @description More may come. */
      open: boolean;
    };
    /** @description Nothing more to say. */
    RequestsDeleted: Record<string, never>;
    /** @description The listener fell behind and has to read the changes itself. */
    RequestsMissed: {
      /** @description The `since` to list from; null if everything may have changed. */
      since: string | null;
    };
    /** @description A tunnel that is published. */
    RunningTunnel: {
      /** @description The name, with the scheme in parentheses for the second of two schemes. */
      name: string;
      /** @description The path of this resource. */
      uri: string;
      /** @description The public address; empty for tunnels with labels. */
      public_url: string;
      /** @description `http`, `https`, `tcp` or `tls`. */
      proto: string;
      /** @description The parts of the definition that clients ask for. */
      config: components["schemas"]["RunningTunnelConfig"];
      /** @description Connections and requests so far. */
      metrics: components["schemas"]["TunnelMetrics"];
      /** @description The labels of a tunnel with labels. */
      labels?: {
        [key: string]: string;
      };
    };
    /** @description Parts of the definition of a running tunnel. */
    RunningTunnelConfig: {
      /** @description The address of the local service. */
      addr: string;
      /** @description Requests are captured. */
      inspect: boolean;
    };
    /** @description Running tunnels. */
    RunningTunnelList: {
      /** @description The tunnels. */
      tunnels: components["schemas"]["RunningTunnel"][];
      /** @description The path of this resource. */
      uri: string;
    };
    /** @description The outcome of a sample request. */
    SampleResponse: {
      /**
       * Format: uint16
       * @description The status of the response.
       */
      status_code: number;
    };
    /** @description A connection to the server. */
    SessionLeg: {
      /** @description The server's region. */
      region: string;
      /** @description The round trip as text in milliseconds, such as `12.5ms`; empty until it is measured. */
      latency: string;
      /**
       * Format: uint64
       * @description The same round trip in nanoseconds; null until it is measured.
       */
      round_trip: number | null;
    };
    /** @description The state of the session with the server. */
    SessionState: "online" | "connecting" | "waiting" | "refused";
    /** @description The session with the server. */
    SessionView: {
      /** @description The state. */
      state: components["schemas"]["SessionState"];
      /** @description Host and port of the server. */
      server_addr: string;
      /** @description The reason why the session is not online. */
      reason: components["schemas"]["Reason"] | null;
      /** @description The time of the next attempt; set while the state is `waiting`. */
      next_try: string | null;
      /**
       * Format: uint32
       * @description Attempts since the last success.
       */
      attempt: number;
      /** @description The time at which this state began. */
      since: string;
      /** @description The server's version; empty before the first session. */
      server_version: string;
      /** @description The PEM file with the authorities that the agent trusts for its server; `null` for the system's store. */
      root_cas: string | null;
      /** @description The connection to the server; empty unless the state is `online`. */
      legs: components["schemas"]["SessionLeg"][];
    };
    /** @description A page of short forms, newest first. */
    SummaryList: {
      /** @description The captured requests. */
      requests: components["schemas"]["RequestSummary"][];
      /** @description The `before` of the next page; null at the end. */
      next: string | null;
      /** @description The call reached its limit of work before the page was full. */
      cut: boolean;
    };
    /** @description Path of one request or connection. Parts that it did not reach are empty. */
    Trace: {
      /** @description Operation id on error pages and in the access log, `op_…`. */
      id: string;
      /** @description The edge. */
      edge: string;
      /** @description The route of the edge. */
      route: string;
      /** @description Backend of the edge or route. */
      backend: string;
      /** @description Decisions of all modules, in order. */
      decisions: components["schemas"]["Decision"][];
      /**
       * Format: uint64
       * @description Time from the arrival of the request until the trace was written; absent if not measured.
       */
      microseconds?: number;
      /**
       * Format: uint64
       * @description Part of it that was spent on getting a connection to the agent.
       */
      queue_microseconds?: number;
    };
    /** @description A tunnel as it is written in the configuration file; docs/agent-config.md has all keys. */
    TunnelDefinition: {
      proto?: string;
      /** @description A port, an address or a URL. */
      addr?: string | number;
      domain?: string;
      schemes?: string[];
      inspect?: boolean;
      host_header?: string;
      remote_addr?: string;
      labels?: string[];
      metadata?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description Connections and requests of a tunnel. */
    TunnelMetrics: {
      /** @description Connections. */
      conns: components["schemas"]["ConnectionMetrics"];
      /** @description HTTP requests. */
      http: components["schemas"]["RequestMetrics"];
    };
    /**
     * @description The protocol of a tunnel for a listening port.
     * @enum {string}
     */
    TunnelProtocol: "http" | "tcp";
    /** @description The state of a tunnel. */
    TunnelState: "stopped" | "starting" | "running" | "failed";
    /** @description Decision of a module or restriction. */
    Verdict: "passed" | "refused" | "warned";
  };
  responses: {
    /** @description An error. */
    Error: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["LocalApiError"];
      };
    };
  };
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type AgentState = components["schemas"]["AgentState"];
export type AgentStatus = components["schemas"]["AgentStatus"];
export type AnnotationChange = components["schemas"]["AnnotationChange"];
export type ApiIndex = components["schemas"]["ApiIndex"];
export type CaptureGauge = components["schemas"]["CaptureGauge"];
export type CaptureTiming = components["schemas"]["CaptureTiming"];
export type CapturedRequest = components["schemas"]["CapturedRequest"];
export type CapturedRequestMessage = components["schemas"]["CapturedRequestMessage"];
export type CapturedResponseMessage = components["schemas"]["CapturedResponseMessage"];
export type ConfigurationCheck = components["schemas"]["ConfigurationCheck"];
export type ConfigurationEdit = components["schemas"]["ConfigurationEdit"];
export type ConfigurationProblem = components["schemas"]["ConfigurationProblem"];
export type ConfigurationText = components["schemas"]["ConfigurationText"];
export type ConfiguredTunnel = components["schemas"]["ConfiguredTunnel"];
export type ConfiguredTunnelList = components["schemas"]["ConfiguredTunnelList"];
export type ConnectionMetrics = components["schemas"]["ConnectionMetrics"];
export type CurlCommand = components["schemas"]["CurlCommand"];
export type Decision = components["schemas"]["Decision"];
export type DiagnosisCheck = components["schemas"]["DiagnosisCheck"];
export type DiagnosisReport = components["schemas"]["DiagnosisReport"];
export type DiagnosisVerdict = components["schemas"]["DiagnosisVerdict"];
export type EndpointList = components["schemas"]["EndpointList"];
export type EndpointUpstream = components["schemas"]["EndpointUpstream"];
export type EndpointView = components["schemas"]["EndpointView"];
export type EventFields = components["schemas"]["EventFields"];
export type FrameKind = components["schemas"]["FrameKind"];
export type FrameList = components["schemas"]["FrameList"];
export type FrameSender = components["schemas"]["FrameSender"];
export type FrameView = components["schemas"]["FrameView"];
export type HarImport = components["schemas"]["HarImport"];
export type ListeningPort = components["schemas"]["ListeningPort"];
export type ListeningPortList = components["schemas"]["ListeningPortList"];
export type LocalApiError = components["schemas"]["LocalApiError"];
export type LocalErrorDetails = components["schemas"]["LocalErrorDetails"];
export type LocalEvent = components["schemas"]["LocalEvent"];
export type MessageFlags = components["schemas"]["MessageFlags"];
export type PortProtocol = components["schemas"]["PortProtocol"];
export type Reason = components["schemas"]["Reason"];
export type ReplayCommand = components["schemas"]["ReplayCommand"];
export type ReplayHeaders = components["schemas"]["ReplayHeaders"];
export type ReplayPath = components["schemas"]["ReplayPath"];
export type RequestDeleted = components["schemas"]["RequestDeleted"];
export type RequestList = components["schemas"]["RequestList"];
export type RequestMetrics = components["schemas"]["RequestMetrics"];
export type RequestSummary = components["schemas"]["RequestSummary"];
export type RequestsDeleted = components["schemas"]["RequestsDeleted"];
export type RequestsMissed = components["schemas"]["RequestsMissed"];
export type RunningTunnel = components["schemas"]["RunningTunnel"];
export type RunningTunnelConfig = components["schemas"]["RunningTunnelConfig"];
export type RunningTunnelList = components["schemas"]["RunningTunnelList"];
export type SampleResponse = components["schemas"]["SampleResponse"];
export type SessionLeg = components["schemas"]["SessionLeg"];
export type SessionState = components["schemas"]["SessionState"];
export type SessionView = components["schemas"]["SessionView"];
export type SummaryList = components["schemas"]["SummaryList"];
export type Trace = components["schemas"]["Trace"];
export type TunnelDefinition = components["schemas"]["TunnelDefinition"];
export type TunnelMetrics = components["schemas"]["TunnelMetrics"];
export type TunnelProtocol = components["schemas"]["TunnelProtocol"];
export type TunnelState = components["schemas"]["TunnelState"];
export type Verdict = components["schemas"]["Verdict"];
export type ResponseError = components["responses"]["Error"];
export type $defs = Record<string, never>;
export interface operations {
  get_index: {
    parameters: {};
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ApiIndex"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  get_configuration: {
    parameters: {};
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ConfigurationText"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  save_configuration: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["ConfigurationEdit"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ConfigurationText"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  check_configuration: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["ConfigurationEdit"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ConfigurationCheck"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  list_configured_tunnels: {
    parameters: {};
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ConfiguredTunnelList"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  save_tunnel: {
    parameters: {
      path: {
        name: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TunnelDefinition"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ConfiguredTunnel"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  remove_tunnel: {
    parameters: {
      path: {
        name: string;
      };
    };
    responses: {
      /** @description Success. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
      default: components["responses"]["Error"];
    };
  };
  send_sample: {
    parameters: {
      path: {
        name: string;
      };
    };
    requestBody: {
      content: {
        "application/json": unknown;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SampleResponse"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  start_configured_tunnel: {
    parameters: {
      path: {
        name: string;
      };
    };
    requestBody: {
      content: {
        "application/json": unknown;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ConfiguredTunnel"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  stop_configured_tunnel: {
    parameters: {
      path: {
        name: string;
      };
    };
    requestBody: {
      content: {
        "application/json": unknown;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ConfiguredTunnel"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  run_diagnosis: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": unknown;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DiagnosisReport"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  list_endpoints: {
    parameters: {};
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["EndpointList"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  start_endpoint: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": unknown;
      };
    };
    responses: {
      /** @description Success. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["EndpointView"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  get_endpoint: {
    parameters: {
      path: {
        name: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["EndpointView"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  replace_endpoint: {
    parameters: {
      path: {
        name: string;
      };
    };
    requestBody: {
      content: {
        "application/json": unknown;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["EndpointView"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  stop_endpoint: {
    parameters: {
      path: {
        name: string;
      };
    };
    responses: {
      /** @description Success. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
      default: components["responses"]["Error"];
    };
  };
  follow_events: {
    parameters: {
      query?: {
        /** @description The id of the last event that was received. */
        since?: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/event-stream": components["schemas"]["LocalEvent"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  get_description: {
    parameters: {};
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": unknown;
        };
      };
      default: components["responses"]["Error"];
    };
  };
  list_ports: {
    parameters: {};
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ListeningPortList"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  probe_port: {
    parameters: {
      path: {
        port: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ListeningPort"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  export_har: {
    parameters: {
      query?: {
        /** @description The most requests of a page: 50 by default, 10,000 at most. */
        limit?: string;
        /** @description Only requests of this tunnel. */
        tunnel_name?: string;
        /** @description Only requests captured before this id. */
        before?: string;
        /** @description Only requests captured after this id or time. */
        since?: string;
        /** @description Only requests that match this filter. */
        filter?: string;
        /** @description `hide` (the default) or `show`. */
        secrets?: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": unknown;
        };
      };
      default: components["responses"]["Error"];
    };
  };
  import_har: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": unknown;
      };
    };
    responses: {
      /** @description Success. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["HarImport"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  list_requests: {
    parameters: {
      query?: {
        /** @description The most requests of a page: 50 by default, 10,000 at most. */
        limit?: string;
        /** @description Only requests of this tunnel. */
        tunnel_name?: string;
        /** @description Only requests captured before this id. */
        before?: string;
        /** @description Only requests captured after this id or time. */
        since?: string;
        /** @description Only requests that match this filter. */
        filter?: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RequestList"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  replay_request: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReplayCommand"];
      };
    };
    responses: {
      /** @description Success. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
      default: components["responses"]["Error"];
    };
  };
  delete_requests: {
    parameters: {};
    responses: {
      /** @description Success. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
      default: components["responses"]["Error"];
    };
  };
  list_summaries: {
    parameters: {
      query?: {
        /** @description The most requests of a page: 50 by default, 10,000 at most. */
        limit?: string;
        /** @description Only requests of this tunnel. */
        tunnel_name?: string;
        /** @description Only requests captured before this id. */
        before?: string;
        /** @description Only requests captured after this id or time. */
        since?: string;
        /** @description Only requests that match this filter. */
        filter?: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SummaryList"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  get_request: {
    parameters: {
      query?: {
        /** @description `head` leaves the bodies out of `raw`; `whole` is the default. */
        raw?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CapturedRequest"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  delete_request: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      /** @description Success. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
      default: components["responses"]["Error"];
    };
  };
  annotate_request: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AnnotationChange"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RequestSummary"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  get_curl_command: {
    parameters: {
      query?: {
        /** @description `edge` (the default) or `local`. */
        through?: string;
        /** @description `hide` (the default) or `show`. */
        secrets?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CurlCommand"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  list_frames: {
    parameters: {
      query?: {
        /** @description Only frames after this number. */
        after?: string;
        /** @description The most frames of a page: 100 by default, 1,000 at most. */
        limit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FrameList"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  get_request_body: {
    parameters: {
      query?: {
        /** @description `content` (without the transfer coding, the default) or `wire`. */
        as?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/octet-stream": string;
        };
      };
      default: components["responses"]["Error"];
    };
  };
  get_response_body: {
    parameters: {
      query?: {
        /** @description `content` (without the transfer coding, the default) or `wire`. */
        as?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/octet-stream": string;
        };
      };
      default: components["responses"]["Error"];
    };
  };
  get_status: {
    parameters: {};
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AgentStatus"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  list_tunnels: {
    parameters: {};
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RunningTunnelList"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  start_tunnel: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["TunnelDefinition"];
      };
    };
    responses: {
      /** @description Success. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RunningTunnel"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  get_tunnel: {
    parameters: {
      path: {
        name: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RunningTunnel"];
        };
      };
      default: components["responses"]["Error"];
    };
  };
  stop_tunnel: {
    parameters: {
      path: {
        name: string;
      };
    };
    responses: {
      /** @description Success. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
      default: components["responses"]["Error"];
    };
  };
}
