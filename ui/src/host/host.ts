// The one door to where the page runs: the desktop app or a plain browser. Nothing else imports Tauri.
import type { AgentEvent, Problem } from "../api/types";

export interface Answer {
  status: number;
  body: string;
  /** What was made, where the answer names it. */
  location?: string | null;
}

/** A part of a body, as bytes. */
export interface Bytes {
  status: number;
  /** How long the whole is; null where the agent did not say. */
  total: number | null;
  bytes: Uint8Array<ArrayBuffer>;
}

/** What the live feed tells besides events. `live` also after every reconnect: what was missed must be read again. */
export interface FeedListener {
  event(event: AgentEvent): void;
  live(): void;
  lost(): void;
}

export interface InspectorTarget {
  tunnel: string | null;
  request: string | null;
}

/** The way to the server's management API. */
export interface Management {
  /** Sends one request; rejects only when there is no answer at all. */
  request(method: string, path: string, body: string | null): Promise<Answer>;
  /** The key that a person enters into the page; null where the app keeps it outside the window. */
  readonly key: EnteredKey | null;
}

/** Lives in the memory of the page and nowhere else. */
export interface EnteredKey {
  readonly known: boolean;
  /** It was known and then refused by the server. */
  readonly refused: boolean;
  /** Asks the server with the key and keeps it if that is answered. */
  enter(key: string): Promise<Answer>;
  forget(why: "asked" | "refused"): void;
  /** Tells about every change of `known`. */
  listen(changed: () => void): () => void;
}

export interface Host {
  readonly kind: "desktop" | "browser";
  /** Whether there is an agent to talk to; the console's page is served by the server and knows none. */
  readonly agent: boolean;
  /** The management API; null where the page was loaded from an agent. */
  readonly management: Management | null;
  /** Sends one request to the agent's local API; rejects only when there is no answer at all. */
  request(method: string, path: string, body: string | null): Promise<Answer>;
  /** Reads bytes of the agent's local API from one place up to another, that one excluded. */
  bytes(path: string, from: number, to: number): Promise<Bytes>;
  /** Opens the live feed. The returned function closes it. */
  feed(listener: FeedListener): () => void;
  openInspector(target: InspectorTarget): Promise<void>;
  /** Says what this inspector was opened for, at once and whenever it is asked for again. */
  onInspectorTarget(listener: (target: InspectorTarget) => void): () => void;
  openExternal(url: string): Promise<void>;
  /** Saves what the agent answers to this path as a file of the person's own. */
  download(path: string, agent: string): Promise<void>;
  copyText(text: string): Promise<void>;
  /** What only the desktop app can do; null in a browser. */
  readonly desktop: Desktop | null;
}

export type PartState = "starting" | "running" | "failed" | "stopped";
export type Part = "server" | "agent";
export type TrustWhere = "system" | "browsers" | "both";

/** What was done, step by step, and what could not be, each as a sentence. */
export interface TrustOutcome {
  done: string[];
  failed: string[];
}

export interface DesktopState {
  server: {
    mode: "local" | "remote";
    state: PartState;
    address: string | null;
    api_address: string | null;
    error: Problem | null;
    /** RFC 3339; when the next start is tried. */
    next_try: string | null;
    /** Something to know although it works, such as another port than usual. */
    notice: string | null;
    pid: number | null;
  };
  agent: {
    state: PartState;
    web_addr: string | null;
    error: Problem | null;
    next_try: string | null;
    notice: string | null;
    pid: number | null;
    /** It ran already when the app started. */
    adopted: boolean;
  };
  authority: {
    trusted: { system: boolean; browsers: boolean };
    path: string | null;
    /** The offer was made before and answered; it is not made again by itself. */
    offered: boolean;
  };
  keychain: { kind: "keychain" | "file"; note: string | null };
  version: string;
}

/** Which kinds of notifications are wanted. */
export interface Notifications {
  connection: boolean;
  tunnels: boolean;
  errors: boolean;
}

export interface Preferences {
  /** Null where it cannot be known. */
  autostart: boolean | null;
  notifications: Notifications;
}

export interface RemoteServer {
  /** Where agents connect. */
  address: string;
  /** The management API. */
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
  restartPart(part: Part): Promise<void>;
  revealLogs(): Promise<void>;
  preferences(): Promise<Preferences>;
  setAutostart(on: boolean): Promise<void>;
  setNotifications(wanted: Notifications): Promise<void>;
  /** Asks that server, then starts the app anew with it. */
  toRemoteServer(server: RemoteServer): Promise<void>;
  toLocalServer(): Promise<void>;
  dataSizes(): Promise<StoredSize[]>;
  logEnd(program: LogProgram): Promise<string>;
  quit(): Promise<void>;
}
