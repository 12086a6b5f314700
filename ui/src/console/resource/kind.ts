// The descriptor of a resource kind: its path, its names, its columns, its fields and its related views.
import type { ReactNode } from "react";
import type { Dependent, Traffic } from "../../api/generated";
import type { Base, Collection, CollectionPath, RecordOf } from "../../api/management";
import type { FormDescription } from "../form/field";
import { unnamed } from "../../model/ids";

/** The traffic of edges, routes and tunnels by id; undefined where it is not known. */
export type TrafficById = ReadonlyMap<string, Traffic> | undefined;

export interface Column<T extends Base = Base> {
  name: string;
  label: string;
  /** The text of the cell, for sorting and searching; displayed unless there is `cell`. */
  text(record: T, traffic?: TrafficById): string;
  cell?(record: T, traffic?: TrafficById): ReactNode;
  /** Hidden until chosen. */
  hidden?: boolean;
  /** Numbers are right-aligned and sorted by value. */
  number?(record: T, traffic?: TrafficById): number;
  mono?: boolean;
}

/** Methods, not properties, so that the descriptors of all kinds can be in one list. */
export interface Kind<T extends Base = Base> extends Collection<T>, FormDescription {
  readonly singular: string;
  readonly plural: string;
  /** One sentence below the title. */
  readonly about: string;
  /** The display name of a record: its description, name or address. */
  title(record: T): string;
  readonly columns: readonly Column<T>[];
  /** A page that creates a record with everything that it needs. */
  readonly task?: { label: string; path: string };
  readonly empty: { sentence: string; command?: string };
  /** Records cannot be created or changed; `removable` ones can be deleted. Those of all nodes may be incomplete. */
  readonly live?: { every: number; removable?: boolean; removal?: string; ofNodes?: true };
  /** Records change by themselves: they are read again after this time, in milliseconds. */
  readonly refresh?: number;
  /** Records tell about others: they are not offered by name elsewhere. */
  readonly log?: true;
  /** The effect of a deletion on traffic, shown before it. */
  deletion?(record: T): string;
  /** The API lists the dependents of a record; they are shown before deletion. */
  readonly dependents?: true;
  /** What dependents do after the deletion. */
  Stays?(props: { record: T; dependents: readonly Dependent[] }): ReactNode;
  /** Further sections on a record's page. */
  More?(props: { record: T }): ReactNode;
  /** Facts above the form, besides id and time. */
  facts?(record: T): readonly { label: string; value: ReactNode }[];
  /** Columns show the traffic of the records. */
  readonly traffic?: true;
  /** Collections whose records change with this one. */
  readonly touches?: readonly string[];
}

/** Describes the kind of a collection; the path is also the path in the console. */
export function describe<P extends CollectionPath>(
  path: P,
  kind: Omit<Kind<RecordOf<P>>, "path" | "record">,
): Kind<RecordOf<P>> {
  return { ...kind, path };
}

/** Columns that most kinds have. */
export const descriptionColumn: Column = {
  name: "description",
  label: "Description",
  text: (record) => record.description ?? "",
};

export const metadataColumn: Column = {
  name: "metadata",
  label: "Metadata",
  text: (record) => record.metadata ?? "",
  hidden: true,
  mono: true,
};

export const idColumn: Column = {
  name: "id",
  label: "ID",
  text: (record) => record.id,
  hidden: true,
  mono: true,
};

export const titleOf = (record: Base): string => record.description || unnamed(record.id);

/** A label inside a sentence: the first letter is lower case unless it is an abbreviation. */
export const inside = (words: string): string =>
  /^[A-Z][a-z]/.test(words) ? words.charAt(0).toLowerCase() + words.slice(1) : words;
