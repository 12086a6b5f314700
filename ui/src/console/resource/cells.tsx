// Cells and facts of the console: times, ids to copy, references to other records.
import type { ReactNode } from "react";
import type { HttpsEdge } from "../../api/generated";
import type { Base } from "../../api/management";
import { ago, since } from "../../model/format";
import { IconButton } from "../../parts/Button";
import { useNow } from "../../parts/hooks";
import { useCopy } from "../../services";
import { pathOf } from "../edges/routePath";
import { apiQuery, useApiQuery } from "../management";
import { PlaceLink } from "../PlaceLink";
import styles from "./cells.module.css";
import { pathOfId } from "./idPaths";
import { recordName } from "./recordName";
import { unnamed } from "../../model/ids";

const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

interface MomentProps {
  at: string | null | undefined;
  none?: string;
  /** It is usually ahead, as an expiry is. Other moments are never shown as ahead, whatever the clock of this computer says. */
  upcoming?: boolean;
}

/** The relative time; the exact one is its tooltip. */
export function Moment({ at, none = "never", upcoming = false }: MomentProps) {
  const now = useNow(30_000, at !== null && at !== undefined);
  if (!at) return <span className={styles.none}>{none}</span>;
  const when = new Date(at);
  return (
    <time dateTime={at} title={Number.isNaN(when.getTime()) ? at : exact.format(when)}>
      {upcoming ? ago(at, now) : since(at, now)}
    </time>
  );
}

export function exactly(at: string): string {
  const when = new Date(at);
  return Number.isNaN(when.getTime()) ? at : exact.format(when);
}

/** Monospaced text that can be copied. */
export function Copyable({ text, what }: { text: string; what: string }) {
  const copy = useCopy();
  return (
    <span className={styles.copyable}>
      <code className={styles.mono} data-copyable>
        {text}
      </code>
      <IconButton icon="copy" label={`Copy ${what}`} onClick={() => void copy(text, capital(what))} />
    </span>
  );
}

/** A record as a link to its page: with the given name, or with the one that it has. The id is the tooltip. */
export function RefLink({
  id,
  parent = null,
  children,
}: {
  id: string;
  parent?: string | null;
  children?: ReactNode;
}) {
  const path = pathOfId(id, parent);
  const words = children ?? <RecordName id={id} parent={parent} />;
  return path ? (
    <PlaceLink to={path} className={styles.link} title={id}>
      {words}
    </PlaceLink>
  ) : (
    words
  );
}

/** The name of a record; its kind until it is known, and where it has none or the key may not read it. */
function RecordName({ id, parent }: { id: string; parent: string | null }) {
  const name = useApiQuery(nameQuery(id, parent)).data;
  return name ?? <span title={id}>{unnamed(id)}</span>;
}

function nameQuery(id: string, parent: string | null) {
  const path = pathOfId(id, parent);
  const isRoute = parent !== null && path?.startsWith("/edges/https/");
  // A route is named by its edge and its path.
  const of = isRoute ? `/edges/https/${parent}` : path;
  return apiQuery<string | null>(
    [of?.slice(0, of.lastIndexOf("/")) ?? "", "name", id],
    async (api) => {
      const record = (await api.send("GET", of ?? "")) as Base & Partial<Pick<HttpsEdge, "routes">>;
      const route = isRoute ? record.routes?.find((one) => one.id === id) : undefined;
      return route ? `${recordName(record) ?? unnamed(record.id)} ${pathOf(route)}` : recordName(record);
    },
    { enabled: of !== null },
  );
}

export function Refs({ refs, none }: { refs: readonly Pick<Base, "id">[]; none: string }) {
  if (refs.length === 0) return <span className={styles.none}>{none}</span>;
  return (
    <span className={styles.refs}>
      {refs.map(({ id }) => (
        <RefLink key={id} id={id} />
      ))}
    </span>
  );
}

export function None({ children }: { children: string }) {
  return <span className={styles.none}>{children}</span>;
}

export function Mono({ children }: { children: ReactNode }) {
  return <code className={styles.mono}>{children}</code>;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
