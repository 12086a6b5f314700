// The table of contents of the console: every area, its place in the navigation, and its pages. One line each.
import { lazyRouteComponent, type RouteComponent } from "@tanstack/react-router";
import type { ComponentType } from "react";
import type { Base } from "../api/management";
import type { IconName } from "../parts/Icon";
import { agents } from "./agents/agents";
import { auditEvents } from "./audit/auditEvents";
import { sshAuthorities } from "./certificates/ssh/authorities";
import { sshHostCertificates, sshUserCertificates } from "./certificates/ssh/certificates";
import { tlsCertificates } from "./certificates/tlsCertificates";
import { people } from "./people/people";
import { sessions } from "./people/sessions";
import { httpsEdges } from "./kinds/httpsEdges";
import { tcpEdges } from "./kinds/tcpEdges";
import { tlsEdges } from "./kinds/tlsEdges";
import { endpoints, nodes, tunnels, tunnelSessions } from "./kinds/liveViews";
import { alertRules } from "./kinds/alertRules";
import { apiKeys } from "./kinds/apiKeys";
import {
  failoverBackends,
  httpResponses,
  staticBackends,
  tunnelGroups,
  weightedBackends,
} from "./kinds/backends";
import { certificateAuthorities } from "./kinds/certificateAuthorities";
import { credentials } from "./kinds/credentials";
import { eventDestinations } from "./kinds/eventDestinations";
import { ipPolicies } from "./kinds/ipPolicies";
import { ipPolicyRules } from "./kinds/ipPolicyRules";
import { ipRestrictions } from "./kinds/ipRestrictions";
import { reservedAddresses, reservedDomains } from "./kinds/reservations";
import { botUsers, users } from "./kinds/users";
import { PUBLISH_PATH } from "./publish/publishPath";
import { recordPages } from "./resource/pages";
import type { Kind } from "./resource/kind";

export type Group = "Traffic" | "Publishing" | "Access" | "Server" | "App";

/** A page by its path below the area: `""`, `"new"`, `"$id"`. */
export type Pages = Readonly<Record<string, RouteComponent>>;

/** One entry of the navigation for several areas, which are the tabs of its pages. */
export interface Section {
  label: string;
  icon: IconName;
}

export interface Area {
  group: Group;
  section?: Section;
  path: `/${string}`;
  label: string;
  icon: IconName;
  pages: Pages;
  /** Reached from other pages, not from the navigation. */
  hidden?: true;
  /** Only in the desktop app, where there is an agent besides the server. */
  agent?: true;
  /** What the palette offers to do there. */
  action?: { title: string; words: string };
  /** The descriptor of the kind, where the area has one. */
  kind?: Kind;
}

/** An area with pages from a descriptor; `pages` replaces or adds some. */
function resource<T extends Base>(group: Group, icon: IconName, kind: Kind<T>, pages: Pages = {}): Area {
  return {
    group,
    icon,
    path: kind.path,
    label: kind.plural,
    kind,
    pages: { ...recordPages(kind), ...pages },
  };
}

/** Areas that share one entry of the navigation. */
const section = (label: string, icon: IconName, areas: readonly Area[]): Area[] =>
  areas.map((area) => ({ ...area, section: { label, icon } }));

/** A hand-written page, loaded when it is opened: the default export of its file. */
const page = (load: () => Promise<{ default: ComponentType }>): RouteComponent => lazyRouteComponent(load);

export const AREAS: readonly Area[] = [
  {
    group: "Traffic",
    path: "/agent",
    label: "This computer",
    icon: "home",
    agent: true,
    pages: { "": page(() => import("./shell/AgentArea")) },
  },
  {
    group: "Traffic",
    path: "/overview",
    label: "Overview",
    icon: "list",
    pages: { "": page(() => import("./overview/OverviewPage")) },
  },
  ...section("Topology", "branch", [
    {
      group: "Traffic",
      path: "/topology",
      label: "Topology",
      icon: "branch",
      pages: { "": page(() => import("./topology/TopologyPage")) },
    },
    resource("Traffic", "layers", nodes),
  ]),
  {
    group: "Traffic",
    path: "/requests",
    label: "Requests",
    icon: "eye",
    pages: { "": page(() => import("./requests/RequestsPage")) },
  },
  ...section("Endpoints", "globe", [
    resource("Traffic", "globe", endpoints),
    resource("Traffic", "arrow", tunnels),
  ]),
  ...section("Agents", "home", [
    resource("Traffic", "home", agents),
    resource("Traffic", "link", tunnelSessions),
  ]),
  ...section("Visitors", "eye", [resource("Traffic", "eye", people), resource("Traffic", "clock", sessions)]),
  {
    group: "Publishing",
    path: PUBLISH_PATH,
    label: "Publish a service",
    icon: "globe",
    hidden: true,
    action: {
      title: "Publish a service",
      words: "wizard new add create https edge route backend name address password login tunnel",
    },
    pages: { "": page(() => import("./publish/PublishPage")) },
  },
  ...section("Edges", "lock", [
    resource("Publishing", "lock", httpsEdges, {
      $id: page(() => import("./edges/HttpsEdgePage")),
      "$id/routes/new": page(() => import("./edges/NewRoutePage")),
      "$id/routes/$route": page(() => import("./edges/RoutePage")),
    }),
    resource("Publishing", "lock", tlsEdges, { $id: page(() => import("./edges/TlsEdgePage")) }),
    resource("Publishing", "arrow", tcpEdges, { $id: page(() => import("./edges/TcpEdgePage")) }),
  ]),
  ...section("Backends", "layers", [
    resource("Publishing", "layers", tunnelGroups),
    resource("Publishing", "layers", staticBackends),
    resource("Publishing", "layers", httpResponses),
    resource("Publishing", "layers", weightedBackends),
    resource("Publishing", "layers", failoverBackends),
  ]),
  ...section("Reservations", "bookmark", [
    resource("Publishing", "bookmark", reservedDomains),
    resource("Publishing", "bookmark", reservedAddresses),
  ]),
  ...section("Certificates", "seal", [
    resource("Publishing", "seal", tlsCertificates, {
      "": page(() => import("./certificates/CertificatesPage")),
      new: page(() => import("./certificates/UploadPage")),
    }),
    resource("Publishing", "seal", certificateAuthorities),
    resource("Publishing", "key", sshAuthorities),
    resource("Publishing", "shield", sshHostCertificates),
    resource("Publishing", "shield", sshUserCertificates),
  ]),
  ...section("IP access", "shield", [
    resource("Access", "shield", ipPolicies),
    { ...resource("Access", "shield", ipPolicyRules), hidden: true },
    resource("Access", "shield", ipRestrictions),
  ]),
  resource("Access", "key", credentials),
  ...section("Team", "user", [
    resource("Access", "user", users),
    resource("Access", "user", botUsers),
    resource("Access", "key", apiKeys),
  ]),
  ...section("Events", "note", [
    resource("Server", "note", auditEvents, { "": page(() => import("./audit/AuditLogPage")) }),
    resource("Server", "arrow", eventDestinations),
    resource("Server", "alert", alertRules),
  ]),
  {
    group: "App",
    path: "/settings",
    label: "Settings",
    icon: "settings",
    agent: true,
    pages: { "": page(() => import("../main/settings/SettingsPage")) },
  },
];

/** The first page of the console. */
export function firstPath(agent: boolean): string {
  return AREAS.find((area) => (agent ? area.agent : !area.agent))?.path ?? "/";
}
