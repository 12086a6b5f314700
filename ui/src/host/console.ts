// The console page, served by the server: fetch on its own origin with the key that the user entered.
import { ApiError, SERVER_UNREACHABLE, UNREACHABLE } from "../api/problem";
import { browserHost } from "./browser";
import type { HostResponse, EnteredKey, Host } from "./host";

/** The version of the management API. */
const VERSION = "2";
/** A path that every key may read. */
const PROBE_PATH = "/ip_policies?limit=1";

export function consoleHost(): Host {
  let held = "";
  let refused = false;
  const listeners = new Set<() => void>();
  const hold = (key: string, wasRefused: boolean) => {
    held = key;
    refused = wasRefused;
    for (const changed of listeners) changed();
  };
  const key: EnteredKey = {
    get known() {
      return held !== "";
    },
    get refused() {
      return refused;
    },
    async enter(text) {
      const response = await request(text.trim(), "GET", PROBE_PATH, null);
      if (response.status === 200) hold(text.trim(), false);
      return response;
    },
    forget: (why) => held !== "" && hold("", why === "refused"),
    listen(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
  return {
    ...browserHost(),
    agent: false,
    management: { request: (method, path, body) => request(held, method, path, body), key },
    request: () => Promise.reject(new ApiError(UNREACHABLE, "This page has no agent.", 0)),
    feed: () => () => {},
  };
}

async function request(
  key: string,
  method: string,
  path: string,
  body: string | null,
): Promise<HostResponse> {
  try {
    const response = await fetch(path, {
      method,
      cache: "no-store",
      credentials: "omit",
      headers: {
        Authorization: `Bearer ${key}`,
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
