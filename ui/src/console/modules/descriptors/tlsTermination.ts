// The end of a visitor's TLS connection and its minimum version, for HTTPS and TLS edges.
import type { ChoiceField } from "../../form/field";
import { textOf } from "../../form/values";
import type { ModuleDescriptor } from "../descriptor";

const minVersion: ChoiceField = {
  kind: "choice",
  name: "min_version",
  label: "Minimum TLS version",
  help: "1.0 and 1.1 are insecure and never offered.",
  initial: "1.2",
  options: [
    { value: "1.2", label: "TLS 1.2" },
    { value: "1.3", label: "TLS 1.3" },
  ],
};

export const httpsTermination: ModuleDescriptor = {
  name: "tls_termination",
  label: "TLS termination",
  about: "The minimum TLS version of visitors.",
  owners: ["https_edge"],
  stage: 10,
  trace: "tls_termination",
  without: "Visitors may use TLS 1.2 or 1.3, as for every other name of the server.",
  fields: [minVersion],
  summary: (view) => `TLS ${textOf(view["min_version"]) || "1.2"} or newer`,
};

export const tlsTermination: ModuleDescriptor = {
  name: "tls_termination",
  label: "TLS termination",
  about: "Where TLS ends: here, or at the backend; in the latter case the traffic is not decrypted here.",
  owners: ["tls_edge"],
  stage: 30,
  trace: "tls_termination",
  without: "The visitors' bytes are forwarded without decryption; the backend must present the certificate.",
  fields: [
    {
      kind: "choice",
      name: "terminate_at",
      label: "TLS ends",
      initial: "edge",
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
};

export default [httpsTermination, tlsTermination];
