// Everything that the palette can open. Records are read when a search starts, and cached as lists are.
import { useQueries } from "@tanstack/react-query";
import type { HttpsEdge, IpPolicyRule } from "../../../api/generated";
import type { Base } from "../../../api/management";
import { AREAS, type Area } from "../../areas";
import { allOf, listOf, useManagement } from "../../management";
import { placeOfId } from "../../resource/places";
import type { Kind } from "../../resource/kind";
import type { Thing } from "./search";

const RULES = { path: "/ip_policy_rules", member: "ip_policy_rules" };
const FRESH_MS = 30_000;
/** Maximum number per kind. */
const SOUGHT = 20;

interface Found {
  things: readonly Thing[];
  loading: boolean;
}

export function useThings(agent: boolean, words: string): Found {
  const api = useManagement();
  const areas = AREAS.filter((area) => agent || !area.agent);
  const shown = areas.filter((area) => !area.hidden);
  const kinds = areas.flatMap(({ kind }) => kind ?? []);
  const enabled = words.trim().length >= 2;
  const newest = useQueries({
    queries: [...kinds, RULES].map((collection) => {
      const { key, ask } = allOf<Base>(collection);
      return { queryKey: key, queryFn: () => ask(api), enabled, staleTime: FRESH_MS };
    }),
  });
  // For kinds with more records than are read here, the server searches.
  const older = useQueries({
    queries: kinds.map((kind, index) => {
      const { key, ask } = listOf<Base>(kind, { limit: SOUGHT, search: words.trim() });
      const more = newest[index]?.data?.next != null && !kind.live;
      return { queryKey: key, queryFn: () => ask(api), enabled: enabled && more, staleTime: FRESH_MS };
    }),
  });
  const rules = (newest.at(-1)?.data?.records ?? []) as unknown as IpPolicyRule[];
  const read = kinds.map((_kind, index) => {
    const known = newest[index]?.data?.records ?? [];
    const ids = new Set(known.map(({ id }) => id));
    return [...known, ...(older[index]?.data?.records.filter(({ id }) => !ids.has(id)) ?? [])];
  });
  // Configured records come before those that are connected at the moment.
  const records = kinds
    .map((kind, index) => ({ kind, of: read[index] ?? [] }))
    .toSorted((one, other) => Number(Boolean(one.kind.live)) - Number(Boolean(other.kind.live)))
    .flatMap(({ kind, of }) => of.map((record) => thingOf(kind, record, rules)));
  return {
    things: [
      ...pasted(words.trim(), read.flat()),
      ...pages(shown),
      ...actions(shown),
      ...(enabled ? records : []),
    ],
    loading: enabled && [...newest, ...older].some((result) => result.isLoading),
  };
}

function pages(areas: readonly Area[]): Thing[] {
  return areas.map(({ path, label, group }) => ({
    place: path,
    group: "Pages",
    title: label,
    note: group,
    text: path,
  }));
}

function actions(areas: readonly Area[]): Thing[] {
  return areas.flatMap(({ path, kind, pages: own }) =>
    kind && "new" in own
      ? [
          {
            place: `${path}/new`,
            group: "Actions",
            title: `New ${kind.one}`,
            note: kind.many,
            text: "create add make",
          },
        ]
      : [],
  );
}

function thingOf(kind: Kind, record: Base, rules: readonly IpPolicyRule[]): Thing {
  const texts = kind.columns.map((column) => column.text(record)).filter(Boolean);
  const title = kind.title(record);
  const networks = rules.filter(({ ip_policy }) => ip_policy.id === record.id).map(({ cidr }) => cidr);
  const routes = (record as Partial<HttpsEdge>).routes?.flatMap(({ id, match, description }) => [
    id,
    match,
    description,
  ]);
  return {
    place: `${kind.path}/${record.id}`,
    group: kind.many,
    title,
    note: networks.slice(0, 3).join(", ") || texts.find((text) => text !== title) || record.id,
    text: [record.id, record.description, record.metadata, ...texts, ...networks, ...(routes ?? [])].join(
      "\n",
    ),
  };
}

/** A complete id leads straight to its record, whether read or not. */
function pasted(words: string, records: readonly Base[]): Thing[] {
  if (!/^[a-z]+_[0-9A-Za-z]{27}$/.test(words)) return [];
  const edge = records.find((record) =>
    (record as Partial<HttpsEdge>).routes?.some(({ id }) => id === words),
  );
  const place = edge ? `/edges/https/${edge.id}/routes/${words}` : placeOfId(words);
  return place ? [{ place, group: "Go to", title: words, note: place, text: "" }] : [];
}
