// The desktop app's half of the bridge, for states that need the app: trust, restarts, failures of its programs.
// Requests still go to the agent the page was loaded from.
import type { Page } from "@playwright/test";

export interface DesktopWords {
  server?: Record<string, unknown>;
  agent?: Record<string, unknown>;
  authority?: Record<string, unknown>;
}

/** Opens the page as the desktop app would; the calls to the app are remembered. */
export async function openInDesktop(
  page: Page,
  url: string,
  words: DesktopWords = {},
): Promise<{ calls(): Promise<string[]> }> {
  const state = {
    server: {
      mode: "local",
      state: "running",
      address: "localhost:4443",
      api_address: "http://127.0.0.1:4041",
      error: null,
      next_try: null,
      notice: null,
      pid: 4242,
      ...words.server,
    },
    agent: {
      state: "running",
      web_addr: "127.0.0.1:4040",
      error: null,
      next_try: null,
      notice: null,
      pid: 4711,
      adopted: true,
      ...words.agent,
    },
    authority: {
      trusted: { system: false, browsers: false },
      path: "~/.local/share/postern/server/ca.pem",
      offered: false,
      ...words.authority,
    },
    keychain: { kind: "file", note: "No keychain service was found on this computer." },
    version: "0.1.0",
  };
  await page.addInitScript(bridge, state);
  await page.goto(url);
  return {
    calls: () => page.evaluate(() => (window as unknown as { desktopCalls: string[] }).desktopCalls),
  };
}

/** Runs in the page. */
function bridge(state: {
  authority: { trusted: { system: boolean; browsers: boolean }; offered: boolean };
}): void {
  const callbacks = new Map<number, (event: unknown) => void>();
  const listeners = new Map<string, number[]>();
  const calls: string[] = [];
  const emit = (event: string, payload: unknown) => {
    for (const handler of listeners.get(event) ?? [])
      callbacks.get(handler)?.({ event, id: handler, payload });
  };
  const changed = () => emit("desktop-state", structuredClone(state));
  const feed = new EventSource("/api/events");
  for (const name of ["status", "tunnels", "request", "requests_deleted"]) {
    feed.addEventListener(name, (message: MessageEvent<string>) =>
      emit("agent-event", { event: name, data: JSON.parse(message.data) }),
    );
  }
  const preferences = {
    autostart: false,
    notifications: { connection: true, tunnels: true, errors: false },
  };
  const commands: Record<string, (given: Record<string, unknown>) => unknown> = {
    "plugin:event|listen": ({ event, handler }) => {
      listeners.set(String(event), [...(listeners.get(String(event)) ?? []), Number(handler)]);
      return handler;
    },
    "plugin:event|unlisten": () => null,
    agent_request: async ({ method, path, body }) => {
      const answer = await fetch(String(path), {
        method: String(method),
        ...(body === null ? {} : { body: String(body), headers: { "Content-Type": "application/json" } }),
      });
      return { status: answer.status, body: await answer.text() };
    },
    agent_bytes: async ({ path, from, to }) => {
      const answer = await fetch(String(path), { headers: { Range: `bytes=${from}-${Number(to) - 1}` } });
      const body = new Uint8Array(await answer.arrayBuffer());
      const whole = new Uint8Array(12 + body.length);
      const facts = new DataView(whole.buffer);
      facts.setUint32(0, answer.status);
      facts.setBigUint64(4, BigInt(answer.headers.get("Content-Range")?.split("/")[1] ?? 2n ** 64n - 1n));
      whole.set(body, 12);
      return whole.buffer;
    },
    // A spec with a real server exposes this function.
    management_request: ({ method, path, body }) =>
      (window as unknown as { manageServer?(...given: unknown[]): unknown }).manageServer?.(method, path, body),
    desktop_state: () => structuredClone(state),
    trust_authority: () => {
      state.authority = { ...state.authority, offered: true, trusted: { system: false, browsers: true } };
      changed();
      return {
        done: ["Firefox and Chromium trust the authority."],
        failed: ["The system store needs an administrator."],
      };
    },
    untrust_authority: () => {
      state.authority.trusted = { system: false, browsers: false };
      changed();
      return { done: ["The authority was taken out of the browsers."], failed: [] };
    },
    preferences: () => structuredClone(preferences),
    set_autostart: ({ on }) => {
      preferences.autostart = on === true;
    },
    data_sizes: () => [
      { what: "Server", path: "/home/ada/.local/share/postern/server", bytes: 1_482_000 },
      { what: "Logs", path: "/home/ada/.local/share/postern/desktop/logs", bytes: 21_000 },
    ],
    log_end: ({ program }) => `2026-03-04T10:11:12Z  INFO ${String(program)} listens\n`,
    use_remote_server: () => {
      throw { code: "ERR_POSTERN_10005", message: "The server at https://api.example.com does not answer." };
    },
    dismiss_trust_offer: () => {
      state.authority.offered = true;
      changed();
    },
  };
  Object.assign(window, {
    desktopCalls: calls,
    __TAURI_EVENT_PLUGIN_INTERNALS__: { unregisterListener: () => {} },
    __TAURI_INTERNALS__: {
      transformCallback: (callback: (event: unknown) => void) => {
        const id = callbacks.size + 1;
        callbacks.set(id, callback);
        return id;
      },
      invoke: async (command: string, given: Record<string, unknown>) => {
        if (!command.startsWith("plugin:") && !command.startsWith("agent_"))
          calls.push(`${command} ${JSON.stringify(given ?? {})}`);
        return commands[command]?.(given ?? {}) ?? null;
      },
    },
  });
}
