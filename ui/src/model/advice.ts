// Advice for a problem, by its code. The message of the problem itself says what is wrong.
import type { Problem } from "../api/types";

const ADVICE: Record<string, string> = {
  AGENT_UNREACHABLE:
    "Start it with `postern start --all`, or restart it in Settings. This page reconnects automatically.",
  ERR_POSTERN_105: "Create a new credential on the server and set it with `postern config add-authtoken`.",
  ERR_POSTERN_106: "Use the token of a tunnel credential; an API key only manages the server.",
  ERR_POSTERN_107: "Set one with `postern config add-authtoken`.",
  ERR_POSTERN_108: "Install the same version of the agent and the server.",
  ERR_POSTERN_115: "Ask the operator of the server to allow this address.",
  ERR_POSTERN_116: "Another process runs this configuration. Stop one of the two.",
  ERR_POSTERN_117: "Nothing to do: the agent reconnects automatically.",
  ERR_POSTERN_300: "Create a new credential on the server and set it with `postern config add-authtoken`.",
  ERR_POSTERN_308: "Choose a TCP address that the credential permits, or change its rules.",
  ERR_POSTERN_316: "Choose a name that the credential permits, or change its rules.",
  ERR_POSTERN_334: "Choose another name, leave it empty to get a free one, or stop the tunnel that holds it.",
  ERR_POSTERN_356: "Ask for a TCP address that the credential permits, or change its rules.",
  ERR_POSTERN_381: "Choose another name; this one is configured as an edge on the server.",
  ERR_POSTERN_399: "Use labels that the credential permits, or change its rules.",
  ERR_POSTERN_402: "Use letters, digits and hyphens, with dots between the parts.",
  ERR_POSTERN_516: "Choose a port inside the server's range, or leave it empty to get a free one.",
  ERR_POSTERN_517: "Stop a TCP tunnel, or let the server offer more ports with --tcp-ports.",
  ERR_POSTERN_8012: "Check that the local service is running and listens on this address.",
  ERR_POSTERN_8013: "Point the tunnel at another service; this address leads back to the agent.",
  ERR_POSTERN_8100: "Correct the configuration file; `postern config check` lists every error with its line.",
  ERR_POSTERN_8101: "It may have been removed. Check the list of tunnels.",
  ERR_POSTERN_8102: "Choose another name.",
  ERR_POSTERN_8103: "The tunnel starts as soon as the agent is connected.",
  ERR_POSTERN_8104: "It was deleted or evicted. Raise inspect_db_size to keep more requests.",
  ERR_POSTERN_8105: "Only the beginning of its body was captured, so a replay would not be the same request.",
  ERR_POSTERN_8106: "Open the page under localhost or 127.0.0.1.",
  ERR_POSTERN_8107: "Open the page at the agent's own address.",
  ERR_POSTERN_8109: "Choose the address of your own service, not the agent's.",
  ERR_POSTERN_8110:
    "Enter a port (8080), a host and port (localhost:8080) or an address (https://localhost:8443).",
  ERR_POSTERN_8111: "Check that the local service is running, then replay again.",
  ERR_POSTERN_8112: "Check that the server is running and that its address and port are correct.",
  ERR_POSTERN_8113: "Set root_cas to the server's ca.pem, or to host if its certificate is publicly trusted.",
  ERR_POSTERN_8114: "Another program uses this port. Stop it, or choose another port.",
  ERR_POSTERN_10001: "Free some space on the server's disk.",
  ERR_POSTERN_10002: "Make the server's data folder writable.",
};

/** Returns nothing where the message has a second sentence: that is more specific advice. */
export function adviceFor({ code, message }: Problem): string | null {
  const sentences = message.trim().match(/[.!?](?=\s+\p{Lu})/gu)?.length ?? 0;
  return sentences > 0 ? null : (ADVICE[code] ?? null);
}
