// Commands and events of the desktop app. Made from api/desktop-commands.json by `npm run gen`, never edited.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description The state of this computer's agent. */
    AgentState: {
      state: components["schemas"]["RunState"];
      /** @description The local API and the inspector page: `127.0.0.1:4040`. */
      web_addr: string | null;
      error: components["schemas"]["DesktopError"] | null;
      /** @description The time of the next start attempt (RFC 3339). */
      next_try: string | null;
      /** @description A remark although the program runs, for example that it listens on another port than usual. */
      notice: string | null;
      /** Format: uint32 */
      pid: number | null;
      /** @description Whether the process was already running when the app started. */
      adopted: boolean;
    };
    /** @description A request of a window to one of the APIs. */
    ApiRequest: {
      method: string;
      path: string;
      body: string | null;
    };
    /** @description A response of an API, whatever its status. */
    ApiResponse: {
      /** Format: uint16 */
      status: number;
      body: string;
      /** @description The `Location` header: the resource that was created. */
      location: string | null;
    };
    /** @description The state of the local certificate authority. */
    AuthorityState: {
      trusted: components["schemas"]["TrustedStores"];
      path: string | null;
      /** @description Whether the offer to trust the authority was accepted or dismissed. */
      offered: boolean;
    };
    /** @description Whether the app shall start at login. */
    AutostartChange: {
      on: boolean;
    };
    /** @description The bytes `from..to` of a captured body. */
    BodyRange: {
      path: string;
      /** Format: uint64 */
      from: number;
      /** Format: uint64 */
      to: number;
    };
    /** @description The text to copy. */
    CopiedText: {
      text: string;
    };
    /** @description The size of a file or folder. */
    DataSize: {
      what: string;
      path: string;
      /** Format: uint64 */
      bytes: number;
    };
    /** @description `{code, message}`: the error of every command, also carried in the desktop state. */
    DesktopError: {
      code: string;
      message: string;
    };
    /** @description `desktop_state()` and the event `desktop-state`. */
    DesktopState: {
      server: components["schemas"]["ServerState"];
      agent: components["schemas"]["AgentState"];
      authority: components["schemas"]["AuthorityState"];
      keychain: components["schemas"]["KeychainState"];
      version: string;
    };
    /** @description The URL to open in the user's browser. */
    ExternalUrl: {
      url: string;
    };
    /** @description The target of the inspector: the requests of a tunnel, one request, or everything. */
    InspectorTarget: {
      tunnel: string | null;
      request: string | null;
    };
    /**
     * @description The location of the management API key; `Keychain` until the key is first needed.
     * @enum {string}
     */
    KeyLocation: "keychain" | "file";
    /** @description The storage of the management API key. */
    KeychainState: {
      kind: components["schemas"]["KeyLocation"];
      /** @description Explains why the key is not in a keychain. */
      note: string | null;
    };
    /** @description The log to read. */
    LogRequest: {
      program: components["schemas"]["LogSource"];
    };
    /**
     * @description The program that writes a log.
     * @enum {string}
     */
    LogSource: "app" | "server" | "agent";
    /** @description The kinds of notifications that are switched on. */
    NotificationPreferences: {
      connection: boolean;
      tunnels: boolean;
      errors: boolean;
      certificates: boolean;
    };
    /** @description The kinds of notifications that shall be shown. */
    NotificationsChange: {
      wanted: components["schemas"]["NotificationPreferences"];
    };
    /** @description The current preferences. */
    Preferences: {
      /** @description Whether the app starts at login; `None` if that cannot be determined. */
      autostart: boolean | null;
      notifications: components["schemas"]["NotificationPreferences"];
    };
    /**
     * @description A supervised program.
     * @enum {string}
     */
    ProgramName: "server" | "agent";
    /** @description The remote server to connect to. */
    RemoteServerLogin: {
      /** @description The address that agents connect to. */
      address: string;
      /** @description The address of the management API. */
      api: string;
      /** @description The key of the management API. */
      key: string;
      /** @description The text of a PEM file, for a server whose certificate the system does not trust. */
      authority: string | null;
    };
    /** @description The program to restart. */
    RestartRequest: {
      part: components["schemas"]["ProgramName"];
    };
    /**
     * @description The run state of a supervised program.
     * @enum {string}
     */
    RunState: "starting" | "running" | "failed" | "stopped";
    /**
     * @description Whether the server runs on this computer, supervised by the app, or elsewhere.
     * @enum {string}
     */
    ServerMode: "local" | "remote";
    /** @description The state of the server. */
    ServerState: {
      mode: components["schemas"]["ServerMode"];
      state: components["schemas"]["RunState"];
      /** @description The address that agents connect to: `localhost:4443`. */
      address: string | null;
      /** @description The management API: `http://127.0.0.1:4041`. */
      api_address: string | null;
      error: components["schemas"]["DesktopError"] | null;
      /** @description The time of the next start attempt (RFC 3339). */
      next_try: string | null;
      /** @description A remark although the program runs, for example that it listens on another port than usual. */
      notice: string | null;
      /** Format: uint32 */
      pid: number | null;
    };
    /** @description The steps that succeeded and those that failed, each as a sentence. */
    TrustOutcome: {
      done: string[];
      failed: string[];
      trusted: components["schemas"]["TrustedStores"];
    };
    /** @description The certificate stores that shall trust the local authority. */
    TrustRequest: {
      where: components["schemas"]["TrustStore"];
    };
    /**
     * @description The certificate stores to change.
     * @enum {string}
     */
    TrustStore: "system" | "browsers" | "both";
    /** @description The certificate stores that trust the local authority. */
    TrustedStores: {
      system: boolean;
      browsers: boolean;
    };
    Commands: {
      agent_request: {
        arguments: components["schemas"]["ApiRequest"];
        result: components["schemas"]["ApiResponse"];
      };
      management_request: {
        arguments: components["schemas"]["ApiRequest"];
        result: components["schemas"]["ApiResponse"];
      };
      agent_bytes: {
        arguments: components["schemas"]["BodyRange"];
        /** Format: binary */
        result: ArrayBuffer;
      };
      desktop_state: {
        result: components["schemas"]["DesktopState"];
      };
      open_inspector: {
        arguments: components["schemas"]["InspectorTarget"];
        result: null;
      };
      open_external: {
        arguments: components["schemas"]["ExternalUrl"];
        result: null;
      };
      copy_text: {
        arguments: components["schemas"]["CopiedText"];
        result: null;
      };
      trust_authority: {
        arguments: components["schemas"]["TrustRequest"];
        result: components["schemas"]["TrustOutcome"];
      };
      untrust_authority: {
        result: components["schemas"]["TrustOutcome"];
      };
      dismiss_trust_offer: {
        result: null;
      };
      restart_part: {
        arguments: components["schemas"]["RestartRequest"];
        result: null;
      };
      reveal_logs: {
        result: null;
      };
      quit: {
        result: null;
      };
      preferences: {
        result: components["schemas"]["Preferences"];
      };
      set_autostart: {
        arguments: components["schemas"]["AutostartChange"];
        result: null;
      };
      set_notifications: {
        arguments: components["schemas"]["NotificationsChange"];
        result: null;
      };
      use_remote_server: {
        arguments: components["schemas"]["RemoteServerLogin"];
        result: null;
      };
      use_local_server: {
        result: null;
      };
      data_sizes: {
        result: components["schemas"]["DataSize"][];
      };
      log_end: {
        arguments: components["schemas"]["LogRequest"];
        result: string;
      };
    };
    Events: {
      "desktop-state": components["schemas"]["DesktopState"];
      "go-to": string;
      "inspector-target": components["schemas"]["InspectorTarget"];
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type AgentState = components["schemas"]["AgentState"];
export type ApiRequest = components["schemas"]["ApiRequest"];
export type ApiResponse = components["schemas"]["ApiResponse"];
export type AuthorityState = components["schemas"]["AuthorityState"];
export type AutostartChange = components["schemas"]["AutostartChange"];
export type BodyRange = components["schemas"]["BodyRange"];
export type CopiedText = components["schemas"]["CopiedText"];
export type DataSize = components["schemas"]["DataSize"];
export type DesktopError = components["schemas"]["DesktopError"];
export type DesktopState = components["schemas"]["DesktopState"];
export type ExternalUrl = components["schemas"]["ExternalUrl"];
export type InspectorTarget = components["schemas"]["InspectorTarget"];
export type KeyLocation = components["schemas"]["KeyLocation"];
export type KeychainState = components["schemas"]["KeychainState"];
export type LogRequest = components["schemas"]["LogRequest"];
export type LogSource = components["schemas"]["LogSource"];
export type NotificationPreferences = components["schemas"]["NotificationPreferences"];
export type NotificationsChange = components["schemas"]["NotificationsChange"];
export type Preferences = components["schemas"]["Preferences"];
export type ProgramName = components["schemas"]["ProgramName"];
export type RemoteServerLogin = components["schemas"]["RemoteServerLogin"];
export type RestartRequest = components["schemas"]["RestartRequest"];
export type RunState = components["schemas"]["RunState"];
export type ServerMode = components["schemas"]["ServerMode"];
export type ServerState = components["schemas"]["ServerState"];
export type TrustOutcome = components["schemas"]["TrustOutcome"];
export type TrustRequest = components["schemas"]["TrustRequest"];
export type TrustStore = components["schemas"]["TrustStore"];
export type TrustedStores = components["schemas"]["TrustedStores"];
export type Commands = components["schemas"]["Commands"];
export type Events = components["schemas"]["Events"];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
