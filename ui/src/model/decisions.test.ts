import { describe, expect, it } from "vitest";
import type { CapturedRequest, Decision } from "../api/types";
import { MODULES } from "../console/modules";
import { moduleLabel, explain } from "./decisions";

const passed: Decision = {
  module: "ip_restriction",
  rule: "127.0.0.0/8",
  verdict: "passed",
  microseconds: 5,
};

function answered(status: number, part: Partial<CapturedRequest> = {}): CapturedRequest {
  return {
    id: "1",
    tunnel_name: "",
    remote_addr: "",
    start: "",
    duration: 1,
    request: { proto: "", headers: {}, method: "GET", uri: "/", raw: "" },
    response: { proto: "", headers: {}, raw: "", status: String(status), status_code: status },
    ...part,
  };
}
const words = (captured: CapturedRequest) => explain(captured).text;

describe("why an answer is what it is", () => {
  it("names the module that refused, and its rule", () => {
    const refused: Decision = {
      module: "user_agent_filter",
      rule: "curl",
      verdict: "refused",
      microseconds: 2,
    };
    expect(words(answered(403, { trace: { decisions: [passed, refused] } }))).toBe(
      "User agent filter refused the request by curl.",
    );
  });

  it("says that the local service itself refused where every module let it pass", () => {
    const verdict = explain(answered(403, { trace: { decisions: [passed] } }));
    expect(verdict.text).toContain("the 403 is from the local service itself");
    expect(verdict.tone).toBe("warn");
    expect(explain(answered(200, { trace: { decisions: [passed] } })).tone).toBe("ok");
  });

  it("knows when without the edge, or only warned", () => {
    expect(words(answered(500, { replay_of: "0", replay_through: "local" }))).toContain("without the edge");
    expect(words(answered(200, { imported: true }))).toContain("Imported from a file");
    expect(words(answered(200))).toContain("No module handled");
    const warned: Decision = { ...passed, verdict: "warned" };
    expect(words(answered(200, { trace: { decisions: [warned] } }))).toContain("only warned");
  });

  it("writes names as people read them", () => {
    expect(["ip_restriction", "oauth", "mutual_tls"].map((module) => moduleLabel({ module }))).toEqual([
      "IP restriction",
      "OAuth",
      "Mutual TLS",
    ]);
    for (const { label, trace } of MODULES.filter((module) => module.trace !== "login"))
      expect(moduleLabel({ module: trace }), "as the console does").toBe(label);
  });
});
