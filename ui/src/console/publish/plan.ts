// The plan of a publication: the records that it creates, in their order, from the answers of the form. Pure: nothing
// here sends a request.
import type {
  HttpResponseBackendCreate,
  HttpsEdgeCreate,
  HttpsRouteCreate,
  IpPolicyCreate,
  IpPolicyRuleCreate,
  StaticBackend,
  StaticBackendCreate,
  TunnelGroupBackend,
  TunnelGroupBackendCreate,
  WeightedBackendCreate,
} from "../../api/generated";
import type { CollectionPath } from "../../api/management";
import { mapped } from "../../model/format";
import type { Body } from "../form/field";

export type Labels = Readonly<Record<string, string>>;

export interface WeightedAddress {
  address: string;
  weight: number;
}

/** Where the requests of visitors go. */
export type Target =
  | { kind: "tunnels"; labels: Labels }
  | { kind: "addresses"; addresses: readonly WeightedAddress[]; tls: boolean }
  | { kind: "response"; status: number; contentType: string; body: string }
  | { kind: "backend"; id: string; title: string };

/** Who is admitted. */
export type Protection =
  | { kind: "everyone" }
  | { kind: "networks"; networks: readonly string[]; policies: readonly string[] }
  | ProtectionModule;

/** A module of the route that admits visitors. */
export interface ProtectionModule {
  kind: "module";
  /** Its member in the API, and its name on pages. */
  name: "basic_auth" | "oauth" | "oidc" | "webhook_verification";
  label: string;
  settings: Body;
  /** The settings for display, with secrets masked. */
  shown: Body;
}

export interface Answers {
  /** A host name with its port. */
  hostport: string;
  target: Target;
  protection: Protection;
  /** Identifies the records that are created together, in their metadata. */
  publication: string;
}

/** Records that a publication uses instead of creating equal ones. */
export interface Existing {
  groups: readonly Pick<TunnelGroupBackend, "id" | "labels" | "metadata">[];
  addresses: readonly Pick<StaticBackend, "id" | "address" | "tls" | "metadata">[];
}

/** The id of the record that an earlier step has created. */
export type IdOf = (key: string) => string;

export interface StepRequest {
  path: string;
  body: Body;
  /** The body for display, with secrets masked. */
  shown: Body;
}

/** Creates one record. */
export interface Step {
  /** Identifies the step, also in a plan of changed answers. */
  key: string;
  /** The kind of the record in words, and what tells it from others. */
  kind: string;
  name: string;
  /** The collection whose queries are invalidated. */
  collection: CollectionPath;
  request(idOf: IdOf): StepRequest;
}

/** An existing record that the route refers to. */
export interface Use {
  kind: string;
  name: string;
  id: string;
}

export interface Plan {
  steps: readonly Step[];
  uses: readonly Use[];
}

/** Steps, and the id of the record that the route refers to. */
interface Part extends Plan {
  id(idOf: IdOf): string;
}

/** The edge comes first, because only its name can be taken; the route is last, and is never without its protection. */
export function planOf(answers: Answers, existing: Existing): Plan {
  const policy = policyPart(answers);
  const backend = backendPart(answers, existing);
  return {
    steps: [edgeStep(answers), ...policy.steps, ...backend.steps, routeStep(answers, backend, policy)],
    uses: [...policy.uses, ...backend.uses],
  };
}

/** The metadata of a record: the publication, and the step that created it. */
export function markOf(publication: string, key: string): string {
  return JSON.stringify({ publication, step: key });
}

/** The host name without its port. */
export function hostOf(hostport: string): string {
  return hostport.replace(/:\d+$/, "");
}

/** A step whose body depends on earlier ones, with its mark. */
function step<B extends { metadata?: string | null }>(
  { publication }: Answers,
  { key, kind, name, collection }: Omit<Step, "request">,
  bodyOf: (idOf: IdOf) => B,
): Step {
  return {
    key,
    kind,
    name,
    collection,
    request(idOf) {
      const body = { ...bodyOf(idOf), metadata: markOf(publication, key) };
      return { path: collection, body, shown: body };
    },
  };
}

function edgeStep(answers: Answers): Step {
  const { hostport } = answers;
  return step<HttpsEdgeCreate>(
    answers,
    { key: "edge", kind: "HTTPS edge", name: hostport, collection: "/edges/https" },
    () => ({ hostports: [hostport] }),
  );
}

function routeStep(answers: Answers, backend: Part, policy: Part): Step {
  const { protection, publication } = answers;
  const key = "route";
  return {
    key,
    kind: "Route",
    name: protection.kind === "everyone" ? "for all paths" : `for all paths, with ${guardName(protection)}`,
    collection: "/edges/https",
    request(idOf) {
      const body: HttpsRouteCreate = {
        match_type: "path_prefix",
        match: "/",
        backend: { enabled: true, backend_id: backend.id(idOf) },
        metadata: markOf(publication, key),
      };
      const path = `/edges/https/${idOf("edge")}/routes`;
      if (protection.kind === "module") {
        const { name, settings, shown } = protection;
        return {
          path,
          body: { ...body, [name]: { enabled: true, ...settings } },
          shown: { ...body, [name]: { enabled: true, ...shown } },
        };
      }
      const chosen = policyIds(protection, policy, idOf);
      const guarded =
        chosen.length > 0 ? { ...body, ip_restriction: { enabled: true, ip_policy_ids: chosen } } : body;
      return { path, body: { ...guarded }, shown: { ...guarded } };
    },
  };
}

function guardName(protection: Protection): string {
  return protection.kind === "module" ? protection.label : "IP restriction";
}

function policyIds(protection: Protection, policy: Part, idOf: IdOf): string[] {
  if (protection.kind !== "networks") return [];
  return [...protection.policies, ...(protection.networks.length > 0 ? [policy.id(idOf)] : [])];
}

const NOTHING: Part = { steps: [], uses: [], id: () => "" };

/** A policy that allows the networks; none where only existing policies are chosen. */
function policyPart(answers: Answers): Part {
  const { protection, hostport } = answers;
  if (protection.kind !== "networks" || protection.networks.length === 0) return NOTHING;
  const name = `Visitors of ${hostOf(hostport)}`;
  const policy = step<IpPolicyCreate>(
    answers,
    { key: "policy", kind: "IP policy", name, collection: "/ip_policies" },
    () => ({ description: name }),
  );
  const rules = [...new Set(protection.networks)].map((cidr) =>
    step<IpPolicyRuleCreate>(
      answers,
      { key: `rule ${cidr}`, kind: "Rule", name: `allow ${cidr}`, collection: "/ip_policy_rules" },
      (idOf) => ({ ip_policy_id: idOf("policy"), cidr, action: "allow" }),
    ),
  );
  return { steps: [policy, ...rules], uses: [], id: (idOf) => idOf("policy") };
}

function backendPart(answers: Answers, existing: Existing): Part {
  const { target } = answers;
  switch (target.kind) {
    case "tunnels":
      return groupPart(answers, target.labels, existing);
    case "addresses":
      return addressesPart(answers, target, existing);
    case "response":
      return responsePart(answers, target);
    case "backend":
      return using({ kind: "Backend", name: target.title, id: target.id });
  }
}

/** Whether a record was there before this publication. */
const isOlder = ({ publication }: Answers, { metadata }: { metadata: string }): boolean =>
  !metadata.includes(publication);

function groupPart(answers: Answers, labels: Labels, { groups }: Existing): Part {
  const name = mapped(labels);
  const found = groups.find((group) => isOlder(answers, group) && sameLabels(group.labels, labels));
  if (found) return using({ kind: "Tunnel group", name, id: found.id });
  const group = step<TunnelGroupBackendCreate>(
    answers,
    { key: "group", kind: "Tunnel group", name, collection: "/backends/tunnel_group" },
    () => ({ labels }),
  );
  return { steps: [group], uses: [], id: (idOf) => idOf("group") };
}

function using(use: Use): Part {
  return { steps: [], uses: [use], id: () => use.id };
}

export function sameLabels(one: Labels, other: Labels): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => (one[name] ?? "") === other[name])
  );
}

/** One address is a backend of its own; several are combined by their weights. */
function addressesPart(
  answers: Answers,
  { addresses, tls }: Extract<Target, { kind: "addresses" }>,
  existing: Existing,
): Part {
  const parts = addresses.map(({ address, weight }) => ({
    part: addressPart(answers, address, tls, existing),
    weight,
  }));
  const [first] = parts;
  if (!first) return NOTHING;
  if (parts.length === 1) return first.part;
  const weighted = step<WeightedBackendCreate>(
    answers,
    {
      key: "weighted",
      kind: "Weighted backend",
      name: addresses.map(({ address, weight }) => `${address} (${weight})`).join(", "),
      collection: "/backends/weighted",
    },
    (idOf) => ({
      description: hostOf(answers.hostport),
      backends: Object.fromEntries(parts.map(({ part, weight }) => [part.id(idOf), weight])),
    }),
  );
  return {
    steps: [...parts.flatMap(({ part }) => part.steps), weighted],
    uses: parts.flatMap(({ part }) => part.uses),
    id: (idOf) => idOf("weighted"),
  };
}

function addressPart(answers: Answers, address: string, tls: boolean, { addresses }: Existing): Part {
  const found = addresses.find(
    (one) => isOlder(answers, one) && one.address === address && one.tls.enabled === tls,
  );
  const name = tls ? `${address} with TLS` : address;
  if (found) return using({ kind: "Static backend", name, id: found.id });
  const key = `address ${address}`;
  const made = step<StaticBackendCreate>(
    answers,
    { key, kind: "Static backend", name, collection: "/backends/static" },
    () => ({ address, tls: { enabled: tls } }),
  );
  return { steps: [made], uses: [], id: (idOf) => idOf(key) };
}

function responsePart(
  answers: Answers,
  { status, contentType, body }: Extract<Target, { kind: "response" }>,
): Part {
  const made = step<HttpResponseBackendCreate>(
    answers,
    {
      key: "response",
      kind: "HTTP response",
      name: `status ${status}`,
      collection: "/backends/http_response",
    },
    () => ({
      description: hostOf(answers.hostport),
      status_code: status,
      ...(body === "" ? {} : { body, headers: { "Content-Type": contentType } }),
    }),
  );
  return { steps: [made], uses: [], id: (idOf) => idOf("response") };
}
