// What the stand-in for the agent finds: listening ports, and the report of a diagnosis.
import type * as local from "../../../ui/src/api/local.generated";

const listening = (port: number, more: Partial<local.ListeningPort>): local.ListeningPort => ({
  port,
  address: `127.0.0.1:${port}`,
  target: String(port),
  proto: "http",
  speaks: null,
  process: null,
  pid: null,
  service: null,
  ...more,
});

export const PORTS: local.ListeningPort[] = [
  listening(5173, { process: "node", pid: 4100, service: "Vite", speaks: "http" }),
  listening(8000, { process: "python3", pid: 4101 }),
  listening(5432, { service: "PostgreSQL", speaks: "tcp", proto: "tcp" }),
];

export const DIAGNOSIS: local.DiagnosisReport = {
  agent_version: "0.1.0",
  at: "2026-03-04T10:11:12.345Z",
  verdict: "WARN",
  checks: [
    {
      name: "configuration",
      subject: "postern.yml",
      verdict: "OK",
      milliseconds: 0.4,
      finding: "valid; tunnels: 1",
    },
    {
      name: "tcp",
      subject: "localhost:4443",
      verdict: "OK",
      milliseconds: 0.2,
      finding: "127.0.0.1:4443 takes connections",
    },
    {
      name: "clock",
      subject: "",
      verdict: "WARN",
      milliseconds: 31,
      finding: "31 s behind the server",
      fix: "Set the clock of this computer.",
    },
    {
      name: "service",
      subject: "shop",
      verdict: "FAIL",
      milliseconds: 1.2,
      finding: "nothing listens on localhost:8080",
      fix: "Start the service, or correct `addr` of the tunnel.",
    },
  ],
};
