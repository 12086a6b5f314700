// The filter language and the verdicts on the last requests.
import { describe, expect, it } from "vitest";
import type { RecentRequest } from "../../api/generated";
import {
  compileRequestFilter,
  FAILED,
  REFUSED,
  requestsPlace,
  STATUS_4XX,
  STATUS_5XX,
  verdictOf,
  withCode,
  withFault,
} from "./recentRequests";

const passed: RecentRequest = {
  id: "op_1",
  at: "2026-11-26T13:00:00.001Z",
  ip: "192.0.2.7",
  scheme: "https",
  protocol: "HTTP/2",
  host: "shop.example.test",
  method: "GET",
  path: "/cart",
  status: 200,
  complete: true,
  duration_microseconds: 700_000,
  bytes_in: 0,
  bytes_out: 2048,
  edge_id: "edghts_1",
  route_id: "edghtsrt_1",
  backend_id: "",
  tunnel_id: "tn_1",
  tunnel_session_id: "ts_1",
  credential_id: "cr_1",
  error_code: "",
  msg: "",
  fault: "",
  refused_by: "",
  decisions: [],
};
const denied: RecentRequest = {
  ...passed,
  id: "op_2",
  status: 403,
  error_code: "ERR_POSTERN_3203",
  msg: "The visitor's address is not allowed.",
  fault: "configuration",
  refused_by: "ip_restriction",
};
const broken: RecentRequest = {
  ...passed,
  id: "op_3",
  status: 502,
  error_code: "ERR_POSTERN_3002",
  fault: "agent",
};
const missing: RecentRequest = { ...passed, id: "op_4", status: 404, fault: "visitor" };
const crashed: RecentRequest = { ...passed, id: "op_5", status: 500, fault: "service" };
const open: RecentRequest = { ...passed, id: "op_6", complete: false };
const all = [passed, denied, broken, missing, crashed, open];

function found(filter: string): string[] {
  const compiled = compileRequestFilter(filter);
  if (compiled.kind === "unusable") throw new Error(compiled.reason);
  return all.filter(compiled.matches).map(({ id }) => id);
}

function reason(filter: string): string {
  const compiled = compileRequestFilter(filter);
  return compiled.kind === "unusable" ? compiled.reason : "";
}

describe("the filter", () => {
  it.each([
    ["", ["op_1", "op_2", "op_3", "op_4", "op_5", "op_6"]],
    [STATUS_4XX, ["op_2", "op_4"]],
    [STATUS_5XX, ["op_3", "op_5"]],
    [FAILED, ["op_2", "op_3", "op_4", "op_5"]],
    [REFUSED, ["op_2", "op_3"]],
    [withCode("ERR_POSTERN_3203"), ["op_2"]],
    [withFault("service"), ["op_5"]],
    [withFault("agent"), ["op_3"]],
    [withFault("visitor"), ["op_4"]],
    ["error:ip_restriction", ["op_2"]],
    ["op_3", ["op_3"]],
    ["pending:yes", ["op_6"]],
    ["not pending:yes dur>500ms status:2xx", ["op_1"]],
    [
      "remote:192.0.2.* host:shop path:/cart method:get tunnel:tn_1 size>1kb status:200 or status:500",
      ["op_1", "op_5", "op_6"],
    ],
  ])("finds by %s", (filter, expected) => expect(found(filter)).toEqual(expected));

  it("says what it cannot read", () => {
    expect(reason("body:secret")).toContain("no headers and bodies");
    expect(reason("path~a")).toContain("regular expressions");
    expect(reason("status:")).toContain("character 8");
  });
});

it("a verdict names the module, or the party that failed", () => {
  expect(all.map((request) => verdictOf(request).text)).toEqual([
    "Passed",
    "Refused by IP restriction",
    "Failed",
    "Refused by the local service",
    "Failed at the local service",
    "Passed, still open",
  ]);
  const decision = { module: "circuit_breaker", rule: "", verdict: "warned", microseconds: 1 } as const;
  expect(verdictOf({ ...passed, decisions: [decision] }).text).toBe("Circuit breaker warned");
  expect(verdictOf({ ...denied, refused_by: "circuit_breaker" }).text).toBe("Refused by circuit breaker");
});

it("edges and tunnels have a place with their requests", () => {
  expect(requestsPlace("edghts_1", FAILED)).toEqual({
    to: "/edges/https/edghts_1",
    search: { tab: "requests", filter: FAILED },
  });
  expect(requestsPlace("tn_1", FAILED)?.to).toBe("/tunnels/tn_1");
  expect(requestsPlace("edgtcp_1", FAILED)).toBeNull();
});
