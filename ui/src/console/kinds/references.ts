// The kinds that fields refer to, and how their records are named in lists of choices.
import type { BotUser, HttpsEdge, IpPolicy, User } from "../../api/generated";
import { collection, type CollectionPath, type RecordOf } from "../../api/management";
import { mapped } from "../../model/format";
import type { ReferencedKind } from "../form/references";
import { unnamed } from "../../model/ids";

function referenced<P extends CollectionPath>(
  path: P,
  kind: Omit<ReferencedKind<RecordOf<P>>, "path" | "record">,
): ReferencedKind<RecordOf<P>> {
  return { ...collection(path), ...kind };
}

const described = ({ description, id }: Pick<IpPolicy, "description" | "id">): string =>
  description || unnamed(id);
const named = ({ name }: User | BotUser): string => name;

export const OWNERS = [
  referenced("/users", { singular: "user", title: named }),
  referenced("/bot_users", { singular: "bot user", title: named }),
];

const byHostport = (edge: Pick<HttpsEdge, "description" | "hostports" | "id">): string =>
  edge.description || edge.hostports[0] || unnamed(edge.id);

export const EDGES = [
  referenced("/edges/https", { singular: "HTTPS edge", title: byHostport }),
  referenced("/edges/tls", { singular: "TLS edge", title: byHostport }),
  referenced("/edges/tcp", { singular: "TCP edge", title: byHostport }),
];

export const AGENT_CREDENTIALS = [referenced("/credentials", { singular: "credential", title: described })];

export const IP_POLICIES = referenced("/ip_policies", { singular: "IP policy", title: described });

export const CERTIFICATE_AUTHORITIES = referenced("/certificate_authorities", {
  singular: "certificate authority",
  title: (authority) => authority.description || authority.subject_common_name || unnamed(authority.id),
});

export const TLS_CERTIFICATES = referenced("/tls_certificates", {
  singular: "TLS certificate",
  title: (certificate) =>
    certificate.description || certificate.subject_common_name || unnamed(certificate.id),
});

export const SSH_AUTHORITIES = referenced("/ssh_certificate_authorities", {
  singular: "SSH authority",
  title: described,
  detail: ({ key_type }) => key_type,
});

export const TUNNEL_GROUPS = referenced("/backends/tunnel_group", {
  singular: "tunnel group",
  title: (group) => group.description || mapped(group.labels) || unnamed(group.id),
  detail: ({ labels }) => mapped(labels),
});

export const STATIC_BACKENDS = referenced("/backends/static", {
  singular: "static backend",
  title: (backend) => backend.description || backend.address,
  detail: ({ address }) => address,
});

export const HTTP_RESPONSES = referenced("/backends/http_response", {
  singular: "HTTP response",
  title: (backend) => backend.description || `Status ${backend.status_code}`,
  detail: () => "",
});

export const WEIGHTED_BACKENDS = referenced("/backends/weighted", {
  singular: "weighted backend",
  title: described,
  detail: () => "",
});

const FAILOVER_BACKENDS = referenced("/backends/failover", {
  singular: "failover backend",
  title: described,
  detail: () => "",
});

export const BACKENDS = [
  TUNNEL_GROUPS,
  WEIGHTED_BACKENDS,
  FAILOVER_BACKENDS,
  HTTP_RESPONSES,
  STATIC_BACKENDS,
];
