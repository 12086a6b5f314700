// A tunnel as a form: from its definition to fields, back to a definition, and the validation of the fields.
import type { TunnelDefinition } from "../api/types";
import { linesOf, textOf } from "./definitionValues";
import {
  NO_PROTECTION,
  protectionKeys,
  protectionMistakes,
  protectionOf,
  shownKeys,
  type ProtectionForm,
  type ProtectionMistakes,
} from "./tunnelProtection";

export type Kind = "http" | "tcp" | "labelled";
export type Schemes = "https" | "http" | "both";

export interface TunnelForm {
  name: string;
  kind: Kind;
  addr: string;
  domain: string;
  schemes: Schemes;
  inspect: boolean;
  hostHeader: string;
  remoteAddr: string;
  /** One `key=value` per line. */
  labels: string;
  protection: ProtectionForm;
}

export type Mistakes = Partial<Record<Exclude<keyof TunnelForm, "protection">, string>> & {
  protection?: ProtectionMistakes;
};

export const EMPTY_FORM: TunnelForm = {
  name: "",
  kind: "http",
  addr: "",
  domain: "",
  schemes: "https",
  inspect: true,
  hostHeader: "",
  remoteAddr: "",
  labels: "",
  protection: NO_PROTECTION,
};

export function formOf(name: string, definition: TunnelDefinition): TunnelForm {
  const schemes = definition.schemes ?? ["https"];
  return {
    name,
    kind:
      definition.labels && definition.labels.length > 0
        ? "labelled"
        : definition.proto === "tcp"
          ? "tcp"
          : "http",
    addr: textOf(definition.addr),
    domain: textOf(definition.domain ?? definition["hostname"] ?? definition["subdomain"]),
    schemes: schemes.includes("https") ? (schemes.includes("http") ? "both" : "https") : "http",
    inspect: definition.inspect ?? true,
    hostHeader: textOf(definition.host_header),
    remoteAddr: textOf(definition.remote_addr),
    labels: (definition.labels ?? []).join("\n"),
    protection: protectionOf(definition),
  };
}

const MANAGED = [
  "proto",
  "addr",
  "domain",
  "hostname",
  "subdomain",
  "schemes",
  "inspect",
  "host_header",
  "remote_addr",
  "labels",
];

/** Builds the definition from the fields. Keys of `before` that the form does not show are preserved. */
export function definitionOf(form: TunnelForm, before: TunnelDefinition = {}): TunnelDefinition {
  // The modules of tunnels for an edge are those of its routes.
  const isProtected = form.kind !== "labelled";
  const managed = isProtected ? [...MANAGED, ...shownKeys(form.protection, before)] : MANAGED;
  const preserved = Object.fromEntries(Object.entries(before).filter(([key]) => !managed.includes(key)));
  const protection = isProtected ? protectionKeys(form.protection, before, form.kind === "http") : {};
  const addr = /^\d+$/.test(form.addr.trim()) ? Number(form.addr.trim()) : form.addr.trim();
  const inspect = form.inspect ? {} : { inspect: false };
  if (form.kind === "labelled") return { ...preserved, labels: linesOf(form.labels), addr, ...inspect };
  if (form.kind === "tcp") {
    return {
      ...preserved,
      proto: "tcp",
      addr,
      ...(form.remoteAddr.trim() ? { remote_addr: form.remoteAddr.trim() } : {}),
      ...protection,
    };
  }
  return {
    ...preserved,
    proto: "http",
    addr,
    ...(form.domain.trim() ? { domain: form.domain.trim() } : {}),
    ...(form.schemes === "https" ? {} : { schemes: form.schemes === "http" ? ["http"] : ["https", "http"] }),
    ...(form.hostHeader.trim() ? { host_header: form.hostHeader.trim() } : {}),
    ...inspect,
    ...protection,
  };
}

/** Returns what must be corrected before the form can be saved; `taken` holds the names of other tunnels. */
export function mistakesOf(form: TunnelForm, takenNames: readonly string[]): Mistakes {
  const mistakes: Mistakes = {};
  const name = form.name.trim();
  if (name === "") mistakes.name = "Enter a name for the tunnel.";
  else if (takenNames.includes(name)) mistakes.name = "Another tunnel has this name.";
  else if (name.length > 100 || [...name].some((character) => character < " " || character === "\u007f")) {
    mistakes.name = "Use at most 100 characters without line breaks.";
  }
  const addr = addressError(form.addr, form.kind);
  if (addr) mistakes.addr = addr;
  if (
    form.kind === "http" &&
    form.domain.trim() !== "" &&
    !/^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(form.domain.trim())
  ) {
    mistakes.domain = "Use letters, digits and hyphens, with dots between the parts.";
  }
  if (
    form.kind === "tcp" &&
    form.remoteAddr.trim() !== "" &&
    !/^(?:\S+:)?\d{1,5}$/.test(form.remoteAddr.trim())
  ) {
    mistakes.remoteAddr = "Enter host and port, for example localhost:24010.";
  }
  if (form.kind === "labelled") {
    const lines = linesOf(form.labels);
    if (lines.length === 0) mistakes.labels = "Enter at least one label.";
    else if (lines.some((line) => !/^[^=\s]+=.+$/.test(line)))
      mistakes.labels = "Write each label as key=value.";
  } else {
    const protection = protectionMistakes(form.protection, form.kind === "http");
    if (Object.keys(protection).length > 0) mistakes.protection = protection;
  }
  return mistakes;
}

export function addressError(text: string, kind: Kind): string | null {
  const addr = text.trim();
  if (addr === "") return "Enter the port or address of the local service, for example 8080.";
  const [, scheme = "", rest = ""] = /^(?:([a-z]+):\/\/)?(.*)$/i.exec(addr) ?? [];
  if (scheme === "file" && kind === "http") return null;
  if (scheme !== "" && !["http", "https", "tcp", "tls"].includes(scheme.toLowerCase())) {
    return "Only http:// and https:// addresses can be used.";
  }
  const authority = rest.replace(/\/.*$/, "");
  const port = /(?:^|:)(\d+)$/.exec(authority)?.[1];
  if (port === undefined)
    return scheme === ""
      ? "Add the port, for example localhost:8080."
      : authority === ""
        ? "Add a host."
        : null;
  return Number(port) >= 1 && Number(port) <= 65_535 ? null : "A port is a number from 1 to 65535.";
}

/** A free name for a first tunnel: `web`, then `web-2` and so on. */
export function freeName(takenNames: readonly string[], base = "web"): string {
  if (!takenNames.includes(base)) return base;
  for (let number = 2; ; number += 1)
    if (!takenNames.includes(`${base}-${number}`)) return `${base}-${number}`;
}

/** Formats the address for display, such as `localhost:8080`, in whichever form the file has it. */
export function addressShown(definition: TunnelDefinition): string {
  const addr = String(definition.addr ?? "");
  return /^\d+$/.test(addr) ? `localhost:${addr}` : addr;
}
