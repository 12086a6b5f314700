// Chooses the host. The desktop's half is loaded only inside the desktop app.
import { browserHost } from "./browser";
import type { Host } from "./host";

export async function findHost(): Promise<Host> {
  if (!("__TAURI_INTERNALS__" in window)) return browserHost();
  const { tauriHost } = await import("./tauri");
  return tauriHost();
}
