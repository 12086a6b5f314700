// The page inside the desktop app: every request goes through a narrow command, events are relayed by the app.
import { invoke as invokeUntyped } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { asProblem, ApiError, SERVER_UNREACHABLE, UNREACHABLE } from "../api/problem";
import type { Commands, DesktopState, Events } from "../api/desktop.generated";
import type { AgentEvent } from "../api/types";
import { targetOfAddress } from "./browser";
import type { HostResponse, Desktop, FeedListener, Host } from "./host";

type Command = keyof Commands;
type Arguments<Name extends Command> = Commands[Name] extends { arguments: infer A extends object }
  ? [A]
  : [];
type Result<Name extends Command> = Commands[Name]["result"] extends null ? void : Commands[Name]["result"];

/** Calls a command of the app with the types that the app describes. */
function invoke<Name extends Command>(name: Name, ...[given]: Arguments<Name>): Promise<Result<Name>> {
  return invokeUntyped<Result<Name>>(name, { ...given });
}

/** The events of the app, and those of the agent that it relays. */
type WindowEvents = Events & { "agent-event": AgentEvent };

export function tauriHost(): Host {
  // Links and the tray open pages of this window.
  on("go-to", (page) => {
    location.hash = `#/${page}`;
  });
  return {
    kind: "desktop",
    agent: true,
    management: { request: manage, signIn: null },
    request: async (method, path, body) => {
      try {
        return await invoke("agent_request", { method, path, body });
      } catch (thrown) {
        const problem = asProblem(thrown);
        throw new ApiError(problem.code || UNREACHABLE, problem.message, 0);
      }
    },
    bytes,
    feed,
    openInspector: (target) => invoke("open_inspector", target),
    onInspectorTarget: (listener) => {
      listener(targetOfAddress(location.search));
      return on("inspector-target", listener);
    },
    openExternal: (url) => invoke("open_external", { url }),
    // The user's browser saves files; the agent serves it as it serves this window.
    download: (path, agent) => invoke("open_external", { url: `http://${agent}${path}` }),
    copyText: (text) => invoke("copy_text", { text }),
    desktop,
  };
}

/** The app adds the key, which this window never sees. */
async function manage(method: string, path: string, body: string | null): Promise<HostResponse> {
  try {
    return await invoke("management_request", { method, path, body });
  } catch (thrown) {
    const problem = asProblem(thrown);
    throw new ApiError(problem.code || SERVER_UNREACHABLE, problem.message, 0);
  }
}

const desktop: Desktop = {
  state: () => invoke("desktop_state"),
  onState: (listener) => on("desktop-state", listener),
  trustAuthority: (where) => invoke("trust_authority", { where }),
  untrustAuthority: () => invoke("untrust_authority"),
  dismissTrustOffer: () => invoke("dismiss_trust_offer"),
  restartPart: (program) => invoke("restart_part", { part: program }),
  revealLogs: () => invoke("reveal_logs"),
  preferences: () => invoke("preferences"),
  setAutostart: (enabled) => invoke("set_autostart", { on: enabled }),
  setNotifications: (wanted) => invoke("set_notifications", { wanted }),
  toRemoteServer: (server) => invoke("use_remote_server", server),
  toLocalServer: () => invoke("use_local_server"),
  dataSizes: () => invoke("data_sizes"),
  logEnd: (program) => invoke("log_end", { program }),
  quit: () => invoke("quit"),
};

const HEADER_BYTES = 12;

/** The response comes as bytes, not as text: its status and the total length are in front. */
async function bytes(path: string, from: number, to: number) {
  try {
    const response = await invoke("agent_bytes", { path, from, to });
    const facts = new DataView(response, 0, HEADER_BYTES);
    const total = facts.getBigUint64(4);
    return {
      status: facts.getUint32(0),
      total: total === UNKNOWN_LENGTH ? null : Number(total),
      bytes: new Uint8Array(response, HEADER_BYTES),
    };
  } catch (thrown) {
    const problem = asProblem(thrown);
    throw new ApiError(problem.code || UNREACHABLE, problem.message, 0);
  }
}
const UNKNOWN_LENGTH = 2n ** 64n - 1n;

/** The app relays the agent's feed; its state follows from the state of the agent. */
function feed(listener: FeedListener): () => void {
  let live = false;
  let received = false;
  const follow = (state: DesktopState) => {
    received = true;
    const now = state.agent.state === "running";
    if (now && !live) listener.live();
    if (!now && live) listener.lost();
    live = now;
  };
  const stops = [hear("agent-event", (event) => listener.event(event)), hear("desktop-state", follow)];
  // Requested only after both listeners are active, so that no event is lost in between. An event may overtake
  // the response, which is then the older of the two.
  Promise.all(stops)
    .then(() => desktop.state())
    .then(
      (state) => void (received || follow(state)),
      () => void (received || listener.lost()),
    );
  return () => stops.forEach((stop) => void stop.then((unlisten) => unlisten()));
}

function hear<Name extends keyof WindowEvents>(name: Name, listener: (payload: WindowEvents[Name]) => void) {
  return listen<WindowEvents[Name]>(name, (event) => listener(event.payload));
}

function on<Name extends keyof WindowEvents>(
  name: Name,
  listener: (payload: WindowEvents[Name]) => void,
): () => void {
  const stop = hear(name, listener);
  return () => void stop.then((unlisten) => unlisten());
}
