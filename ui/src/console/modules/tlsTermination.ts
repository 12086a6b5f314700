// The end of a visitor's TLS connection and its minimum version, for HTTPS and TLS edges.
import type { Body, ChoiceField, ModuleDescriptor } from "./descriptor";
import { textOf } from "./words";

const minVersion: ChoiceField = {
  kind: "choice",
  name: "min_version",
  label: "Oldest version of TLS",
  help: "1.0 and 1.1 are broken and never offered.",
  value: "1.2",
  options: [
    { value: "1.2", label: "TLS 1.2" },
    { value: "1.3", label: "TLS 1.3" },
  ],
};

export const httpsTermination: ModuleDescriptor = {
  name: "tls_termination",
  label: "TLS termination",
  about: "How old the TLS of visitors may be.",
  owners: ["https_edge"],
  trace: "tls_termination",
  without: "Visitors may speak TLS 1.2 or 1.3, as on every other name of the server.",
  fields: [minVersion],
  summary: (view) => `TLS ${textOf(view["min_version"]) || "1.2"} or newer`,
};

export const tlsTermination: ModuleDescriptor = {
  name: "tls_termination",
  label: "TLS termination",
  about: "Where the TLS of visitors ends: here, or at the backend, and then nobody here can read it.",
  owners: ["tls_edge"],
  trace: "tls_termination",
  without: "The bytes of visitors pass through unread; the backend must show the certificate.",
  fields: [
    {
      kind: "choice",
      name: "terminate_at",
      label: "TLS ends",
      value: "edge",
      options: [
        { value: "edge", label: "At the edge" },
        { value: "upstream", label: "At the backend" },
      ],
    },
    { ...minVersion, when: (draft) => draft["terminate_at"] !== "upstream" },
  ],
  summary: (view) =>
    view["terminate_at"] === "upstream"
      ? "at the backend"
      : `at the edge, TLS ${textOf(view["min_version"]) || "1.2"} or newer`,
  write: (draft): Body =>
    draft["terminate_at"] === "upstream"
      ? { terminate_at: "upstream" }
      : { terminate_at: "edge", min_version: draft["min_version"] },
};
