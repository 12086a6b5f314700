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
import type { ConsoleSession } from "../api/generated";
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

/** Access to the server's management API. */
export interface Management {
  /** Sends one request; rejects only when there is no response at all. */
  request(method: string, path: string, body: string | null): Promise<HostResponse>;
  /** The sign-in of the page; null where the app keeps an API key outside the window. */
  readonly signIn: ConsoleSignIn | null;
}

export type SignInState =
  | { readonly phase: "in"; readonly session: ConsoleSession }
  /** `former` is the session that has ended without being asked to. */
  | { readonly phase: "out"; readonly former: ConsoleSession | null }
  /** The server did not say whether there is a session. */
  | { readonly phase: "unknown"; readonly problem: Problem };

/** A provider by which people can sign in. */
export interface SignInProvider {
  readonly name: string;
  /** Where a sign-in begins; the browser comes back from there to this page. */
  readonly url: string;
}

/** Who is signed in. The session is a cookie, which the page cannot read. */
export interface ConsoleSignIn {
  readonly state: SignInState;
  /** Asks the server again: another page of this browser may have signed in or out. */
  check(): Promise<void>;
  /** Begins a session. The key is forgotten with the response. */
  signIn(key: string): Promise<HostResponse>;
  /** The provider of the server; null if it has none. */
  provider(): Promise<SignInProvider | null>;
  /** Ends the session of this browser, or those of all browsers in which this user is signed in. */
  signOut(where: "here" | "everywhere"): Promise<void>;
  /** Notes that the server refused a call because the session has ended. */
  ended(): void;
  /** Notifies about every change of the state. */
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
