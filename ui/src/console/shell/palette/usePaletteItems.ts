// Everything that the palette can open. Records are read when a search starts, and cached as lists are.
import { useQueries, useQuery } from "@tanstack/react-query";
import type { HttpsEdge, IpPolicyRule } from "../../../api/generated";
import { collection, type Base } from "../../../api/management";
import { AREAS, type Area } from "../../areas";
import { allQuery, apiQueryOptions, listQuery, useManagement } from "../../management";
import { pathOfId } from "../../resource/idPaths";
import type { Kind } from "../../resource/kind";
import type { PaletteItem } from "./search";
import { isId } from "../../../model/ids";

const RULES = collection("/ip_policy_rules");
const STALE_TIME_MS = 30_000;
/** Maximum number per kind. */
const MAX_PER_KIND = 20;

interface PaletteItems {
  items: readonly PaletteItem[];
  loading: boolean;
}

export function usePaletteItems(agent: boolean, words: string): PaletteItems {
  const api = useManagement();
  const areas = AREAS.filter((area) => agent || !area.agent);
  const shown = areas.filter((area) => !area.hidden);
  const kinds = areas.flatMap(({ kind }) => (kind && !kind.log ? kind : []));
  const enabled = words.trim().length >= 2;
  const newest = useQueries({
    queries: kinds.map((kind) => ({
      ...apiQueryOptions(api, allQuery(kind, { enabled })),
      staleTime: STALE_TIME_MS,
    })),
  });
  const policyRules = useQuery({
    ...apiQueryOptions(api, allQuery(RULES, { enabled })),
    staleTime: STALE_TIME_MS,
  });
  const rules = policyRules.data?.records ?? [];
  // For kinds with more records than are read here, the server searches.
  const older = useQueries({
    queries: kinds.map((kind, index) => {
      const more = newest[index]?.data?.next != null && !kind.live;
      const query = listQuery(kind, { limit: MAX_PER_KIND, search: words.trim() });
      return { ...apiQueryOptions(api, { ...query, enabled: enabled && more }), staleTime: STALE_TIME_MS };
    }),
  });
  const read = kinds.map((_kind, index) => {
    const loaded = newest[index]?.data?.records ?? [];
    const ids = new Set(loaded.map(({ id }) => id));
    return [...loaded, ...(older[index]?.data?.records.filter(({ id }) => !ids.has(id)) ?? [])];
  });
  // Configured records come before those that are connected at the moment.
  const records = kinds
    .map((kind, index) => ({ kind, of: read[index] ?? [] }))
    .toSorted((one, other) => Number(Boolean(one.kind.live)) - Number(Boolean(other.kind.live)))
    .flatMap(({ kind, of }) => of.map((record) => paletteItemOf(kind, record, rules)));
  return {
    items: [
      ...itemsForId(words.trim(), read.flat()),
      ...pages(shown),
      ...actions(areas),
      ...(enabled ? records : []),
    ],
    loading: enabled && [...newest, ...older, policyRules].some((result) => result.isLoading),
  };
}

function pages(areas: readonly Area[]): PaletteItem[] {
  return areas.map(({ path, label, group, section }) => ({
    path,
    group: "Pages",
    title: label,
    note: section?.label ?? group,
    text: path,
  }));
}

function actions(areas: readonly Area[]): PaletteItem[] {
  return areas.flatMap(({ path, group, kind, action, hidden, pages: own }) => {
    if (action) return [{ path, group: "Actions", title: action.title, note: group, text: action.words }];
    if (hidden || !kind || !("new" in own)) return [];
    const note = kind.plural;
    return [
      { path: `${path}/new`, group: "Actions", title: `New ${kind.singular}`, note, text: "create add make" },
    ];
  });
}

function paletteItemOf(kind: Kind, record: Base, rules: readonly IpPolicyRule[]): PaletteItem {
  const texts = kind.columns.map((column) => column.text(record)).filter(Boolean);
  const title = kind.title(record);
  const networks = rules
    .filter(({ ip_policy }) => ip_policy.id === record.id)
    .map(({ cidr, country }) => country ?? cidr);
  const routes = (record as Partial<HttpsEdge>).routes?.flatMap(({ id, match, description }) => [
    id,
    match,
    description,
  ]);
  return {
    path: `${kind.path}/${record.id}`,
    group: kind.plural,
    title,
    note:
      networks.slice(0, 3).join(", ") || texts.find((text) => text !== title && !isId(text)) || kind.singular,
    text: [record.id, record.description, record.metadata, ...texts, ...networks, ...(routes ?? [])].join(
      "\n",
    ),
  };
}

/** A complete id leads straight to its record, whether read or not. */
function itemsForId(words: string, records: readonly Base[]): PaletteItem[] {
  if (!/^[a-z]+_[0-9A-Za-z]{27}$/.test(words)) return [];
  const edge = records.find((record) =>
    (record as Partial<HttpsEdge>).routes?.some(({ id }) => id === words),
  );
  const path = edge ? `/edges/https/${edge.id}/routes/${words}` : pathOfId(words);
  return path ? [{ path, group: "Go to", title: words, note: path, text: "" }] : [];
}
