// The sign-in of the server's own page. An API key is sent once, in exchange for a session: a cookie that no script can read.
import { ApiError, errorFromResponse, SERVER_UNREACHABLE, asProblem } from "../api/problem";
import type { ConsoleSession } from "../api/generated";
import type { ConsoleSignIn, HostResponse, SignInProvider, SignInState } from "./host";
import { providerOf } from "./signInProvider";

/** The version of the management API. */
const VERSION = "2";
const SESSIONS = "/console_sessions";
/** Says how people can sign in; needs no session. */
const OFFER = "/console_sign_in";
const CURRENT = `${SESSIONS}/current`;
/** A call this soon after the last key or click is counted as activity of the person, a later one as a refresh of the page. */
const ACTIVE_MS = 60_000;
/** Tells the other pages of this browser that another session has begun or one has ended. */
const CHANNEL = "postern-console-session";

export class SignIn implements ConsoleSignIn {
  #state: SignInState = { phase: "out", former: null };
  #lastInput = Date.now();
  readonly #listeners = new Set<() => void>();
  readonly #others = new BroadcastChannel(CHANNEL);

  /** Asks the server who is signed in. */
  static async start(): Promise<SignIn> {
    const signIn = new SignIn();
    for (const event of ["keydown", "pointerdown", "wheel"])
      addEventListener(event, () => (signIn.#lastInput = Date.now()), { capture: true, passive: true });
    signIn.#others.addEventListener("message", () => void signIn.check());
    await signIn.check();
    return signIn;
  }

  get state(): SignInState {
    return this.#state;
  }

  readonly listen = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  };

  async check(): Promise<void> {
    const before = this.#state;
    try {
      const response = await this.request("GET", CURRENT, null);
      // Something newer is known.
      if (this.#state !== before) return;
      if (response.status === 200) this.#enter(response);
      else if (response.status === 401) this.ended();
      else throw errorFromResponse(response.status, response.body, "server");
    } catch (thrown) {
      if (this.#state.phase !== "in") this.#set({ phase: "unknown", problem: asProblem(thrown) });
    }
  }

  async signIn(key: string): Promise<HostResponse> {
    const response = await send("POST", SESSIONS, null, { Authorization: `Bearer ${key}` });
    if (response.status === 201) {
      this.#lastInput = Date.now();
      this.#enter(response);
      this.#tellOthers();
    }
    return response;
  }

  async provider(): Promise<SignInProvider | null> {
    const response = await send("GET", OFFER, null, {});
    return response.status === 200 ? providerOf(response.body) : null;
  }

  async signOut(where: "here" | "everywhere"): Promise<void> {
    const response = await this.request("DELETE", where === "here" ? CURRENT : SESSIONS, null);
    // A session that has ended already is what is wanted.
    if (response.status !== 204 && response.status !== 401)
      throw errorFromResponse(response.status, response.body, "server");
    this.#set({ phase: "out", former: null });
    this.#tellOthers();
  }

  ended(): void {
    if (this.#state.phase === "in") this.#set({ phase: "out", former: this.#state.session });
    else if (this.#state.phase === "unknown") this.#set({ phase: "out", former: null });
  }

  /** Sends a call in the session. */
  request(method: string, path: string, body: string | null): Promise<HostResponse> {
    const activity = Date.now() - this.#lastInput < ACTIVE_MS ? "active" : "idle";
    return send(method, path, body, { "Console-Session": activity });
  }

  #tellOthers(): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
    this.#others.postMessage(null);
  }

  #enter(response: HostResponse): void {
    const session = JSON.parse(response.body) as ConsoleSession;
    if (this.#state.phase !== "in" || this.#state.session.id !== session.id)
      this.#set({ phase: "in", session });
  }

  #set(state: SignInState): void {
    this.#state = state;
    for (const changed of this.#listeners) changed();
  }
}

async function send(
  method: string,
  path: string,
  body: string | null,
  headers: Readonly<Record<string, string>>,
): Promise<HostResponse> {
  try {
    const response = await fetch(path, {
      method,
      cache: "no-store",
      credentials: "same-origin",
      headers: {
        ...headers,
        "Service-Version": VERSION,
        ...(body === null ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === null ? {} : { body }),
    });
    return { status: response.status, body: await response.text() };
  } catch {
    throw new ApiError(SERVER_UNREACHABLE, "The server does not respond.", 0);
  }
}
