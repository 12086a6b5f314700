// Chooses the host. The desktop's half is loaded only inside the desktop app.
import { browserHost } from "./browser";
import type { Host } from "./host";

/** Whether the page runs in a window of the desktop app. */
export const inDesktop = (): boolean => "__TAURI_INTERNALS__" in window;

export async function findHost(): Promise<Host> {
  if (!inDesktop()) return browserHost();
  const { tauriHost } = await import("./tauri");
  return tauriHost();
}
