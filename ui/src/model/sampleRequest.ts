// A first request, sent as a visitor through the edge, for whoever has nobody to visit yet.
import type { AgentApi } from "../api/agent";

/** The agent sends again what it knows; so it is told a request first, which is forgotten afterwards. */
export async function sendSample(api: AgentApi, tunnel: string, address: string): Promise<void> {
  await api.importHar(JSON.stringify(sampleHar(tunnel, address)));
  const page = await api.summaries({ limit: 1, filter: "imported:yes" });
  const [told] = page.requests;
  if (!told) return;
  try {
    await api.replay({ id: told.id, tunnel_name: tunnel, through: "edge" });
  } finally {
    await api.deleteOne(told.id);
  }
}

export function sampleHar(tunnel: string, address: string): object {
  const request = {
    method: "GET",
    url: address.endsWith("/") ? address : `${address}/`,
    httpVersion: "HTTP/1.1",
    headers: [
      { name: "Host", value: new URL(address).host },
      { name: "Accept", value: "*/*" },
      { name: "User-Agent", value: "Postern sample request" },
    ],
  };
  const response = { status: 0, statusText: "", httpVersion: "HTTP/1.1", headers: [], content: {} };
  const entry = { startedDateTime: "2000-01-01T00:00:00Z", time: 0, request, response, _tunnel: tunnel };
  return { log: { version: "1.2", entries: [entry] } };
}
