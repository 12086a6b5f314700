// The only interface to the page's environment: the desktop app or a plain browser. Nothing else imports Tauri.
import type {
  DataSize,
  DesktopState,
  InspectorTarget,
  LogSource,
  NotificationPreferences,
  Preferences,
  ProgramName,
  RemoteServerLogin,
  TrustOutcome,
  TrustStore,
} from "../api/desktop.generated";
import type { AgentEvent } from "../api/types";

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

export interface Desktop {
  state(): Promise<DesktopState>;
  onState(listener: (state: DesktopState) => void): () => void;
  trustAuthority(where: TrustStore): Promise<TrustOutcome>;
  untrustAuthority(): Promise<TrustOutcome>;
  dismissTrustOffer(): Promise<void>;
  restartPart(part: ProgramName): Promise<void>;
  revealLogs(): Promise<void>;
  preferences(): Promise<Preferences>;
  setAutostart(on: boolean): Promise<void>;
  setNotifications(notifications: NotificationPreferences): Promise<void>;
  /** Checks the server, then restarts the app with it. */
  toRemoteServer(server: RemoteServerLogin): Promise<void>;
  toLocalServer(): Promise<void>;
  dataSizes(): Promise<DataSize[]>;
  logEnd(program: LogSource): Promise<string>;
  quit(): Promise<void>;
}
