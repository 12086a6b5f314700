// Actions on captured requests: replay, copy, pin, annotate, delete, export and import.
import { harPath, type SummaryQuery } from "../api/agent";
import { ApiError } from "../api/problem";
import type { ConfiguredTunnel, ReplayCommand } from "../api/types";
import type { Detail } from "../model/details";
import { tunnelName } from "../model/filter";
import { counted } from "../model/format";
import { isOfServer } from "../model/serverAddress";
import { hasSecrets } from "../model/secrets";
import { curlCommand } from "../model/snippets/curl";
import { fetchSnippet } from "../model/snippets/fetch";
import { goProgram } from "../model/snippets/go";
import { httpieCommand } from "../model/snippets/httpie";
import { powershellCommand } from "../model/snippets/powershell";
import { pythonSnippet } from "../model/snippets/python";
import { rustProgram } from "../model/snippets/rust";
import type { Snippet } from "../model/snippets/source";
import { headerValue } from "../model/httpMessage";
import { toast } from "../parts/toast";
import { attempt, useAgent, useCopy, useServices } from "../services";

/** Maximum body size in a copied snippet, in bytes. */
const MAX_COPIED_BYTES = 1024 * 1024;

/** The formats in which a request can be copied. */
export const COPY_FORMATS = {
  curl: { label: "curl command", write: curlCommand },
  fetch: { label: "JavaScript (fetch)", write: fetchSnippet },
  python: { label: "Python", write: pythonSnippet },
  go: { label: "Go", write: goProgram },
  rust: { label: "Rust (reqwest)", write: rustProgram },
  httpie: { label: "HTTPie command", write: httpieCommand },
  powershell: { label: "PowerShell", write: powershellCommand },
} as const;

export type CopyFormat = keyof typeof COPY_FORMATS;

export function useActions() {
  const { model, host } = useServices();
  const { tunnels, status } = useAgent();
  const copy = useCopy();

  // The replays below the request show what comes of it.
  const replay = (request: ReplayCommand): Promise<boolean> =>
    attempt("The request could not be replayed", () => model.api.replay(request));

  /** The file with the authority of the server's own addresses, unless the system trusts it. */
  const authorityOf = (url: string): string | null => {
    const server = status?.session?.server_addr;
    return server && isOfServer(url, server) ? (status.session.root_cas ?? null) : null;
  };

  const copyAs = async (id: string, kind: CopyFormat, reveal: boolean): Promise<void> => {
    await attempt("The request could not be copied", async () => {
      const detail = await model.details.read(id, model.exchanges.find(id)?.duration !== null);
      const body = await model.details.body(id, "request", MAX_COPIED_BYTES);
      const isCut = detail.request.cut || detail.request.bodySize > MAX_COPIED_BYTES;
      const masksSecrets = !reveal && hasSecrets(detail.request.headers);
      const { label, write } = COPY_FORMATS[kind];
      const name = label.charAt(0).toUpperCase() + label.slice(1);
      const source = sourceOf(detail, body, tunnels);
      const authority = authorityOf(source.url);
      if (!(await copy(write({ ...source, authority }, reveal), name))) return;
      if (isCut)
        toast({
          title: "The body is incomplete",
          detail: "Only its beginning was captured or fits; the copied command sends no more than that.",
          tone: "bad",
        });
      if (masksSecrets) {
        toast({
          title: "Secrets were masked",
          detail: "Their values were replaced by dots.",
          action: { label: "Copy with secrets", run: () => void copyAs(id, kind, true) },
        });
      }
    });
  };

  const pin = (id: string, pinned: boolean) =>
    attempt("The request could not be pinned", () => model.api.mark(id, { pinned }));

  const annotate = (id: string, note: string) =>
    attempt("The note could not be saved", () => model.api.mark(id, { note: note === "" ? null : note }));

  /** One that cannot be deleted keeps no other; one that is gone already is no failure. */
  const remove = (ids: readonly string[]) =>
    attempt("Not every request could be deleted", async () => {
      const failures: unknown[] = [];
      for (const id of ids)
        await model.api.deleteOne(id).catch((thrown: unknown) => {
          if (!(thrown instanceof ApiError && thrown.status === 404)) failures.push(thrown);
        });
      if (failures.length > 0) throw failures[0];
    });

  const exportHar = (query: Partial<SummaryQuery>, secrets: "hide" | "show") =>
    attempt("The file could not be saved", () =>
      host.download(harPath(query, secrets), status?.web_addr ?? ""),
    );

  const importHar = (file: File) =>
    attempt("The file could not be imported", async () => {
      const imported = await model.api.importHar(await file.text());
      toast({ title: `${counted(imported, "request")} imported from ${file.name}` });
    });

  return { replay, copyAs, pin, annotate, remove, exportHar, importHar };
}

/** List parameters that select only this request. */
export function onlyRequest(id: string): Partial<SummaryQuery> {
  const number = BigInt(`0x${id}`);
  const written = (other: bigint) => other.toString(16).padStart(id.length, "0");
  return { since: written(number - 1n), before: written(number + 1n) };
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

function sourceOf(detail: Detail, body: Uint8Array, tunnels: readonly ConfiguredTunnel[]): Snippet {
  const { captured, request } = detail;
  return {
    method: captured.request.method,
    url: addressOf(detail, tunnels),
    headers: request.headers.filter(({ name }) => name.toLowerCase() !== "host"),
    body,
  };
}
