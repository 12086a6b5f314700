// Plans: which records a publication creates, in which order, and which existing ones it uses.
import { describe, expect, it } from "vitest";
import type { Body } from "../form/field";
import { markOf, planOf, type Answers, type Existing, type Plan } from "./plan";
import { remainingOf, sentText, type Made } from "./remaining";

const NONE: Existing = { groups: [], addresses: [] };

const answers = (changes: Partial<Answers> = {}): Answers => ({
  hostport: "shop.example.com:443",
  target: { kind: "tunnels", labels: { app: "shop" } },
  protection: { kind: "everyone" },
  publication: "p1",
  ...changes,
});

const PASSWORD = {
  kind: "module",
  name: "basic_auth",
  label: "Basic authentication",
  settings: { users: [{ username: "ada", password: "correct horse" }] },
  shown: { users: [{ username: "ada", password: "••••••••" }] },
} as const;

/** What would be sent, with the keys of steps as ids and without the marks. */
function calls({ steps }: Plan): [string, Body][] {
  return steps.map((step) => {
    const { path, body } = step.request((key) => `<${key}>`);
    const { metadata, ...rest } = body;
    expect(metadata).toBe(markOf("p1", step.key));
    return [path, rest];
  });
}

const ROUTE = { match_type: "path_prefix", match: "/" };

describe("a plan", () => {
  it("creates the edge first and the route with its protection last", () => {
    expect(calls(planOf(answers({ protection: PASSWORD }), NONE))).toEqual([
      ["/edges/https", { hostports: ["shop.example.com:443"] }],
      ["/backends/tunnel_group", { labels: { app: "shop" } }],
      [
        "/edges/https/<edge>/routes",
        {
          ...ROUTE,
          backend: { enabled: true, backend_id: "<group>" },
          basic_auth: { enabled: true, users: [{ username: "ada", password: "correct horse" }] },
        },
      ],
    ]);
  });

  it("masks secrets where it is shown", () => {
    const step = planOf(answers({ protection: PASSWORD }), NONE).steps.at(-1);
    expect(JSON.stringify(step?.request(() => "x").shown)).not.toContain("correct horse");
  });

  it("allows networks by a policy of their own, beside existing ones", () => {
    const protection = {
      kind: "networks",
      networks: ["10.0.0.0/8", "192.0.2.7/32", "10.0.0.0/8"],
      policies: ["ipp_1"],
    } as const;
    const plan = planOf(
      answers({ target: { kind: "backend", id: "bkdwd_1", title: "Canary" }, protection }),
      NONE,
    );
    expect(calls(plan).slice(1)).toEqual([
      ["/ip_policies", { description: "Visitors of shop.example.com" }],
      ["/ip_policy_rules", { ip_policy_id: "<policy>", cidr: "10.0.0.0/8", action: "allow" }],
      ["/ip_policy_rules", { ip_policy_id: "<policy>", cidr: "192.0.2.7/32", action: "allow" }],
      [
        "/edges/https/<edge>/routes",
        {
          ...ROUTE,
          backend: { enabled: true, backend_id: "bkdwd_1" },
          ip_restriction: { enabled: true, ip_policy_ids: ["ipp_1", "<policy>"] },
        },
      ],
    ]);
    expect(plan.uses).toEqual([{ kind: "Backend", name: "Canary", id: "bkdwd_1" }]);
  });

  it("creates no policy where existing ones are enough", () => {
    const protection = { kind: "networks", networks: [], policies: ["ipp_1"] } as const;
    const plan = planOf(answers({ protection }), NONE);
    expect(plan.steps.map(({ key }) => key)).toEqual(["edge", "group", "route"]);
    expect(calls(plan).at(-1)?.[1]["ip_restriction"]).toMatchObject({ ip_policy_ids: ["ipp_1"] });
  });

  it("leads to one address directly and to several by weight", () => {
    const one = { address: "192.0.2.7:80", weight: 1 };
    const other = { address: "192.0.2.8:80", weight: 3 };
    const single = planOf(answers({ target: { kind: "addresses", addresses: [one], tls: true } }), NONE);
    expect(calls(single).slice(1)).toEqual([
      ["/backends/static", { address: "192.0.2.7:80", tls: { enabled: true } }],
      [
        "/edges/https/<edge>/routes",
        { ...ROUTE, backend: { enabled: true, backend_id: "<address 192.0.2.7:80>" } },
      ],
    ]);
    const both = planOf(
      answers({ target: { kind: "addresses", addresses: [one, other], tls: false } }),
      NONE,
    );
    expect(calls(both)[3]).toEqual([
      "/backends/weighted",
      {
        description: "shop.example.com",
        backends: { "<address 192.0.2.7:80>": 1, "<address 192.0.2.8:80>": 3 },
      },
    ]);
  });

  it("leads to a fixed response, whose type is sent with its text", () => {
    const response = { kind: "response", status: 503, contentType: "text/html", body: "<p>Soon" } as const;
    expect(calls(planOf(answers({ target: response }), NONE))[1]).toEqual([
      "/backends/http_response",
      {
        description: "shop.example.com",
        status_code: 503,
        body: "<p>Soon",
        headers: { "Content-Type": "text/html" },
      },
    ]);
    expect(calls(planOf(answers({ target: { ...response, body: "" } }), NONE))[1]?.[1]).not.toHaveProperty(
      "headers",
    );
  });

  it("uses equal records that exist, but none of its own", () => {
    const group = { id: "bkdtg_1", labels: { app: "shop" }, metadata: "" };
    const used = planOf(answers(), { ...NONE, groups: [group] });
    expect(used.steps.map(({ key }) => key)).toEqual(["edge", "route"]);
    expect(used.uses).toEqual([{ kind: "Tunnel group", name: "app=shop", id: "bkdtg_1" }]);
    for (const other of [
      { ...group, labels: { app: "shop", team: "web" } },
      { ...group, labels: { app: "tea" } },
      { ...group, metadata: markOf("p1", "group") },
    ])
      expect(planOf(answers(), { ...NONE, groups: [other] }).uses).toEqual([]);
    const address = { id: "bkdst_1", address: "a:80", tls: { enabled: false }, metadata: "" };
    const to = (tls: boolean) =>
      answers({ target: { kind: "addresses", addresses: [{ address: "a:80", weight: 1 }], tls } });
    expect(planOf(to(false), { ...NONE, addresses: [address] }).uses).toHaveLength(1);
    expect(planOf(to(true), { ...NONE, addresses: [address] }).uses).toEqual([]);
  });
});

/** The records of a plan whose first steps were carried out. */
function carriedOut({ steps }: Plan, count: number): Made[] {
  return steps.slice(0, count).map(({ key, kind, name, collection, request }) => {
    const sent = request((other) => `id of ${other}`);
    const path = `${sent.path}/id of ${key}`;
    return { key, kind, name, collection, id: `id of ${key}`, path, sent: sentText(sent) };
  });
}
const office = { kind: "networks", networks: ["10.0.0.0/8", "192.0.2.0/24"], policies: [] } as const;
const keys = (records: readonly { key: string }[]) => records.map(({ key }) => key);

describe("what remains of a plan", () => {
  it("is everything that is not created yet", () => {
    const plan = planOf(answers(), NONE);
    const { kept, stale, missing } = remainingOf(plan, carriedOut(plan, 1));
    expect([keys(kept), keys(stale), keys(missing)]).toEqual([["edge"], [], ["group", "route"]]);
  });

  it("replaces what changed answers no longer need, last created first", () => {
    const made = carriedOut(planOf(answers({ protection: office }), NONE), 5);
    const other = planOf(answers({ hostport: "tea.example.com:443", protection: office }), NONE);
    const { kept, stale, missing } = remainingOf(other, made);
    // The policy is named after the host, and its rules refer to it.
    expect(keys(kept)).toEqual(["group"]);
    expect(keys(stale)).toEqual(["rule 192.0.2.0/24", "rule 10.0.0.0/8", "policy", "edge"]);
    expect(keys(missing)).toEqual(["edge", "policy", "rule 10.0.0.0/8", "rule 192.0.2.0/24", "route"]);
  });

  it("keeps the rules that are still wanted", () => {
    const made = carriedOut(planOf(answers({ protection: office }), NONE), 5);
    const less = planOf(answers({ protection: { ...office, networks: ["192.0.2.0/24"] } }), NONE);
    const { kept, stale, missing } = remainingOf(less, made);
    expect(keys(kept)).toEqual(["edge", "policy", "rule 192.0.2.0/24", "group"]);
    expect(keys(stale)).toEqual(["rule 10.0.0.0/8"]);
    expect(keys(missing)).toEqual(["route"]);
  });
});
