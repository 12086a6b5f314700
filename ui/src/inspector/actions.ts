// What can be done with one captured request: replay it, copy it as curl.
import type { ConfiguredTunnel } from "../api/types";
import { curlCommand } from "../model/curl";
import type { Detail } from "../model/details";
import { tunnelName } from "../model/filter";
import { hasSecrets } from "../model/secrets";
import { headerValue } from "../model/wire";
import { say } from "../parts/toast";
import { attempt, useAgent, useCopy, useServices } from "../services";

/** A longer body is no help in a command. */
const SENT = 1024 * 1024;

export function useActions() {
  const { model } = useServices();
  const { tunnels } = useAgent();
  const copy = useCopy();

  const replay = async (id: string, tunnel: string | null): Promise<boolean> => {
    const sent = await attempt("The request could not be replayed", () =>
      model.api.replay(tunnel === null ? { id } : { id, tunnel_name: tunnel }),
    );
    if (sent)
      say({
        title: tunnel === null ? "Replaying…" : `Replaying to ${tunnel}…`,
        detail: "The answer appears below the request.",
      });
    return sent;
  };

  const copyCurl = async (id: string, reveal: boolean): Promise<void> => {
    await attempt("The request could not be copied", async () => {
      const detail = await model.details.read(id, model.exchanges.find(id)?.duration !== null);
      const body = await model.details.body(id, "request", SENT);
      const isCut = detail.request.cut || detail.request.bodySize > SENT;
      const hides = !reveal && hasSecrets(detail.request.headers);
      if (!(await copy(curlOf(detail, body, tunnels, reveal), "curl command"))) return;
      if (isCut)
        say({
          title: "The body is incomplete",
          detail: "Only its beginning was captured or fits; the command sends no more than that.",
          tone: "bad",
        });
      if (hides) {
        say({
          title: "Secrets were left out",
          detail: "Their values stand as dots in the command.",
          action: { label: "Copy with secrets", run: () => void copyCurl(id, true) },
        });
      }
    });
  };

  return { replay, copyCurl };
}

export function addressOf(detail: Detail, tunnels: readonly ConfiguredTunnel[]): string {
  const { captured, request } = detail;
  const target = captured.request.uri;
  if (/^https?:\/\//i.test(target)) return target;
  const host =
    headerValue(request.headers, "x-forwarded-host") ?? headerValue(request.headers, "host") ?? "localhost";
  const proto = headerValue(request.headers, "x-forwarded-proto");
  const tunnel = tunnels.find(({ name }) => name === tunnelName(captured.tunnel_name));
  const origin =
    tunnel?.public_url && !tunnel.public_url.includes("*")
      ? tunnel.public_url
      : `${proto === "http" ? "http" : "https"}://${host}`;
  return origin.replace(/\/$/, "") + (target.startsWith("/") ? target : `/${target}`);
}

export function curlOf(
  detail: Detail,
  body: Uint8Array,
  tunnels: readonly ConfiguredTunnel[],
  reveal: boolean,
): string {
  const { captured, request } = detail;
  return curlCommand(
    {
      method: captured.request.method,
      url: addressOf(detail, tunnels),
      headers: request.headers.filter(({ name }) => name.toLowerCase() !== "host"),
      body,
    },
    reveal,
  );
}
