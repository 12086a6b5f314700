import { describe, expect, it } from "vitest";
import type { ServerStatus } from "../../api/generated";
import { expiry, expiryTone, firstStep, remarks } from "./remarks";

const NOW = Date.parse("2026-03-01T00:00:00Z");
const inDays = (days: number) => new Date(NOW + days * 86_400_000 + 1000).toISOString();

function status(changes: Partial<ServerStatus>): ServerStatus {
  const points = Array.from({ length: 60 }, () => ({ requests: 0, redirected: 0, refused: 0, failed: 0 }));
  return {
    version: "0.1.0",
    started_at: "2026-02-28T00:00:00Z",
    region: "local",
    domain: "localhost",
    https_port: 4443,
    sessions: 1,
    tunnels: 1,
    configured: {
      https_edges: 0,
      tls_edges: 0,
      tcp_edges: 0,
      backends: 0,
      tls_certificates: 0,
      credentials: 1,
    },
    store: { revision: 1, bytes: 1 },
    expiring: [],
    traffic: {
      requests: 0,
      redirected: 0,
      refused: 0,
      failed: 0,
      faults: { visitor: 0, configuration: 0, agent: 0, service: 0, server: 0 },
      bytes_in: 0,
      bytes_out: 0,
    },
    history: { seconds: points, minutes: points },
    ...changes,
  };
}

const certificate = (name: string, days: number, renewed = false) => ({
  certificate: { id: `cert_${name}`, uri: "" },
  names: [name],
  not_after: inDays(days),
  renewed,
});

describe("remarks", () => {
  it("are none when all is well", () => {
    expect(remarks(status({}), NOW)).toEqual([]);
    expect(remarks(status({ expiring: [certificate("far.test", 90)] }), NOW)).toEqual([]);
  });

  it("say how much fails and whose fault it mostly is", () => {
    const busy = status({});
    busy.history = { ...busy.history, seconds: [{ requests: 100, refused: 50, failed: 7 }] };
    busy.traffic.faults = { visitor: 50, configuration: 0, agent: 2, service: 5, server: 0 };
    expect(remarks(busy, NOW)).toEqual([
      {
        tone: "bad",
        title: "7% of requests fail",
        reason:
          "7 requests of 100 in the last minute failed with status 5xx. Since the start most failures were caused by the local service.",
        path: "/topology",
      },
    ]);
  });

  it("put an expired certificate before one that will expire, and leave out what renews itself", () => {
    const found = remarks(
      status({
        expiring: [
          certificate("gone.test", -1, true),
          certificate("soon.test", 5),
          certificate("self.test", 5, true),
        ],
      }),
      NOW,
    );
    expect(found.map(({ tone, title }) => [tone, title])).toEqual([
      ["bad", "The certificate of gone.test has expired"],
      ["warn", "The certificate of soon.test expires soon"],
    ]);
  });

  it("say that no agent serves", () => {
    expect(remarks(status({ sessions: 0 }), NOW).map(({ title }) => title)).toEqual([
      "No agent is connected",
    ]);
  });
});

describe("expiry", () => {
  it("is told in days", () => {
    expect([-1, 0, 1, 5].map((days) => expiry(inDays(days), NOW))).toEqual([
      "expired",
      "within a day",
      "in 1 day",
      "in 5 days",
    ]);
    expect([-1, 20, 21].map((days) => expiryTone(inDays(days), NOW))).toEqual(["bad", "warn", "ok"]);
  });
});

describe("the first step", () => {
  it("is a credential, then an agent, then nothing", () => {
    const none = status({ sessions: 0 });
    expect(firstStep({ ...none, configured: { ...none.configured, credentials: 0 } })).toBe("credential");
    expect(firstStep(none)).toBe("connect");
    expect(firstStep(status({}))).toBe(null);
    expect(firstStep({ ...none, configured: { ...none.configured, https_edges: 1 } })).toBe(null);
  });
});
