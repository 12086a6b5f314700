// What a resource's descriptor says: where it lives, what it is called, its columns, its fields, what goes with it.
import type { ComponentType, ReactNode } from "react";
import type { Dependent } from "../../api/generated";
import type { Base } from "../../api/management";
import type { Field } from "./field";

export interface Column<T extends Base = Base> {
  name: string;
  label: string;
  /** What the cell says: for sorting, for searching, and to be shown unless there is `cell`. */
  text(record: T): string;
  cell?(record: T): ReactNode;
  /** Not shown until chosen. */
  hidden?: boolean;
  /** Numbers stand at the right and are sorted by their value. */
  number?(record: T): number;
  mono?: boolean;
}

/** Methods, not properties, so that a descriptor of one kind can stand in a list of all. */
export interface Kind<T extends Base = Base> {
  /** The collection, which is also the place in the console: `/ip_policies`. */
  readonly path: `/${string}`;
  /** The member of a list's body that holds the records. */
  readonly member: string;
  readonly prefix: string;
  readonly one: string;
  readonly many: string;
  /** One sentence under the title. */
  readonly about: string;
  /** What people call a record: its description, name or address. */
  title(record: T): string;
  readonly columns: readonly Column<T>[];
  /** What can be said when one is made or changed; a live view has none. */
  readonly fields: readonly Field[];
  readonly empty: { sentence: string; command?: string };
  /** Nobody can make or change one; `removable` ones can be ended. */
  readonly live?: { every: number; removable?: boolean; removal?: string };
  /** What deleting one does to traffic, shown before it is done. */
  deletion?(record: T): string;
  /** The API tells what refers to one; then it is shown before deletion. */
  readonly dependents?: true;
  /** What those that go on naming a deleted one will then do. */
  readonly Stays?: ComponentType<{ record: T; dependents: readonly Dependent[] }>;
  /** Further sections on a record's page. */
  readonly More?: ComponentType<{ record: T }>;
  /** Facts to be shown above the form, besides id and time. */
  facts?(record: T): readonly { label: string; value: ReactNode }[];
  /** Collections whose answers change with this one. */
  readonly touches?: readonly string[];
}

export function describe<T extends Base>(kind: Kind<T>): Kind<T> {
  return kind;
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
  mono: true,
};

export const titleOf = (record: Base): string => record.description || record.id;

/** Words inside a sentence: what is no abbreviation begins small. */
export const inside = (words: string): string =>
  /^[A-Z][a-z]/.test(words) ? words.charAt(0).toLowerCase() + words.slice(1) : words;
