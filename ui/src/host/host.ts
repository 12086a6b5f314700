// The only interface to the page's environment: the desktop app or a plain browser. Nothing else imports Tauri.
import type { AgentEvent, Problem } from "../api/types";

export interface HostResponse {
  status: number;
  body: string;
  /** The created resource, where the response names it. */
  location?: string | null;
}

/** A range of a body, as bytes. */
export interface BytesResponse {
  status: number;
  /** Total length of the body; null where the agent did not give it. */
  total: number | null;
  bytes: Uint8Array<ArrayBuffer>;
}

/** State of the live feed. `live` also follows every reconnect: what was missed must then be fetched again. */
export interface FeedListener {
  event(event: AgentEvent): void;
  live(): void;
  lost(): void;
}

export interface InspectorTarget {
  tunnel: string | null;
  request: string | null;
}

/** Access to the server's management API. */
export interface Management {
  /** Sends one request; rejects only when there is no response at all. */
  request(method: string, path: string, body: string | null): Promise<HostResponse>;
  /** The API key that the user enters in the page; null where the app keeps it outside the window. */
  readonly key: EnteredKey | null;
}

/** Kept in the memory of the page and nowhere else. */
export interface EnteredKey {
  readonly known: boolean;
  /** It was known and has since been refused by the server. */
  readonly refused: boolean;
  /** Tries the key at the server and keeps it if the server accepts it. */
  enter(key: string): Promise<HostResponse>;
  forget(why: "asked" | "refused"): void;
  /** Notifies about every change of `known`. */
  listen(changed: () => void): () => void;
}

export interface Host {
  readonly kind: "desktop" | "browser";
  /** Whether there is an agent; the console page is served by the server and has none. */
  readonly agent: boolean;
  /** The management API; null where the page was served by an agent. */
  readonly management: Management | null;
  /** Sends one request to the agent's local API; rejects only when there is no response at all. */
  request(method: string, path: string, body: string | null): Promise<HostResponse>;
  /** Reads a range of bytes from the agent's local API; `end` is exclusive. */
  bytes(path: string, from: number, to: number): Promise<BytesResponse>;
  /** Opens the live feed. The returned function closes it. */
  feed(listener: FeedListener): () => void;
  openInspector(target: InspectorTarget): Promise<void>;
  /** Reports the target that this inspector was opened for, at once and for every later request. */
  onInspectorTarget(listener: (target: InspectorTarget) => void): () => void;
  openExternal(url: string): Promise<void>;
  /** Saves the agent's response to this path as a file. */
  download(path: string, agent: string): Promise<void>;
  copyText(text: string): Promise<void>;
  /** Functions of the desktop app; null in a browser. */
  readonly desktop: Desktop | null;
}

export type ProgramState = "starting" | "running" | "failed" | "stopped";
export type Program = "server" | "agent";
export type TrustWhere = "system" | "browsers" | "both";

/** The steps that succeeded and those that failed, each as a sentence. */
export interface TrustOutcome {
  done: string[];
  failed: string[];
}

export interface DesktopState {
  server: {
    mode: "local" | "remote";
    state: ProgramState;
    address: string | null;
    api_address: string | null;
    error: Problem | null;
    /** RFC 3339; time of the next start attempt. */
    next_try: string | null;
    /** Information about a working program, such as a port other than the usual one. */
    notice: string | null;
    pid: number | null;
  };
  agent: {
    state: ProgramState;
    web_addr: string | null;
    error: Problem | null;
    next_try: string | null;
    notice: string | null;
    pid: number | null;
    /** It was already running when the app started. */
    adopted: boolean;
  };
  authority: {
    trusted: { system: boolean; browsers: boolean };
    path: string | null;
    /** The offer was made and answered before; it is not repeated automatically. */
    offered: boolean;
  };
  keychain: { kind: "keychain" | "file"; note: string | null };
  version: string;
}

/** Which kinds of notifications are enabled. */
export interface Notifications {
  connection: boolean;
  tunnels: boolean;
  errors: boolean;
}

export interface Preferences {
  /** Null where it cannot be determined. */
  autostart: boolean | null;
  notifications: Notifications;
}

export interface RemoteServer {
  /** The address for agents. */
  address: string;
  /** The address of the management API. */
  api: string;
  key: string;
  /** The text of a PEM file. */
  authority: string | null;
}

export interface StoredSize {
  what: string;
  path: string;
  bytes: number;
}

export type LogProgram = "app" | "server" | "agent";

export interface Desktop {
  state(): Promise<DesktopState>;
  onState(listener: (state: DesktopState) => void): () => void;
  trustAuthority(where: TrustWhere): Promise<TrustOutcome>;
  untrustAuthority(): Promise<TrustOutcome>;
  dismissTrustOffer(): Promise<void>;
  restartPart(part: Program): Promise<void>;
  revealLogs(): Promise<void>;
  preferences(): Promise<Preferences>;
  setAutostart(on: boolean): Promise<void>;
  setNotifications(notifications: Notifications): Promise<void>;
  /** Checks the server, then restarts the app with it. */
  toRemoteServer(server: RemoteServer): Promise<void>;
  toLocalServer(): Promise<void>;
  dataSizes(): Promise<StoredSize[]>;
  logEnd(program: LogProgram): Promise<string>;
  quit(): Promise<void>;
}
