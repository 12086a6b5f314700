// The description of a form: its fields as data, told apart by their kind.
import type { ServerFacts } from "../../api/generated";
import type { ReferencedKind } from "./references";

/** One row of inputs, by the name of its column. */
export type Row = Readonly<Record<string, string>>;

/** The value of a field while it is edited. Numbers are kept as typed until they are sent. */
export type Value = string | boolean | readonly string[] | readonly Row[];

/** The values of a form by field name. */
export type Draft = Readonly<Record<string, Value>>;

/** A JSON object of the API before validation. */
export type Body = Record<string, unknown>;

interface Common {
  /** The member of the body that it sets, and the API's name of the field in errors. */
  name: string;
  label: string;
  help?: string;
  required?: boolean;
  /** Can be set only on creation. */
  createOnly?: boolean;
  /** Shown under "More settings": most users keep the default. */
  advanced?: boolean;
  /** Whether it is shown, by the other values of the form. */
  when?(draft: Draft): boolean;
  /** For a value that is not the member of the same name. */
  read?(record: Body): unknown;
  /** The member of the body, where it is not the value; undefined omits it. */
  write?(value: Value): unknown;
}

/** A line or several lines of text. */
export interface TextField extends Common {
  kind: "text" | "secret" | "document";
  initial?: string;
  placeholder?: string;
  /** Limits of the API, in characters or in bytes. */
  maxLength?: number;
  maxBytes?: number;
  /** More than one makes it a multi-line text. */
  rows?: number;
  mono?: boolean;
  /** The mistake in a text that is neither empty nor too long. */
  check?(text: string): string | null;
  /** How the API will interpret the text, where that differs from the input. */
  means?(text: string): string | null;
}

/** A whole number. */
export interface NumberField extends Common {
  kind: "number";
  initial: number;
  min: number;
  max: number;
  unit?: string;
  /** The mistake in a number within the bounds. */
  check?(value: number): string | null;
  /** The meaning of a special number, such as 0 for "never". */
  means?: Readonly<Record<number, string>>;
}

/** A number from 0 to 1, displayed and typed as a percentage. */
export interface ShareField extends Common {
  kind: "share";
  initial: number;
}

export interface FlagField extends Common {
  kind: "flag";
  initial: boolean;
}

export interface Option {
  value: string;
  label: string;
  /** What it means, in smaller letters. */
  note?: string;
}

export interface ChoiceField extends Common {
  kind: "choice";
  /** The first option where none is named. */
  initial?: string;
  options: readonly Option[];
}

/** Several texts, one per line. */
export interface ListField extends Common {
  kind: "list";
  maxItems?: number;
  /** The maximum length of each, in characters. */
  maxLength?: number;
  placeholder?: string;
  check?(text: string): string | null;
  /** Help and placeholder that depend on the server; undefined while its facts are loading. */
  describe?(server: ServerFacts | undefined): { help: string; placeholder: string };
  /** A warning while the list is empty. */
  emptyWarning?: string;
}

export interface Column {
  name: string;
  label: string;
  placeholder?: string;
  /** Masked until revealed. Left out of the body where it is empty. */
  secret?: boolean;
}

/** Rows of inputs. Rows without any text are omitted. */
export interface RowsField extends Common {
  kind: "rows";
  columns: readonly [key: Column, ...rest: Column[]];
  /** Whether the first column may be empty. */
  mayOmitFirst?: boolean;
  /** The member is a map from the first column to the second, or a list of objects. */
  shape: "map" | "list";
  /** The label of the button that adds a row. */
  add: string;
  maxItems?: number;
  check?(row: Row): string | null;
  /** Variables that texts may contain, with their meanings. */
  variables?: readonly (readonly [name: string, meaning: string])[];
}

/** Other records, selected by name. */
export interface ReferenceField extends Common {
  kind: "reference" | "references";
  of: readonly ReferencedKind[];
  /** The only record that exists is chosen without asking. */
  preselect?: boolean;
  maxItems?: number;
  /** The meaning of choosing none. */
  none?: string;
  /** What it means that a chosen record no longer exists. */
  gone?: string;
}

/** Backends that combine others: with weights, or in failover order. */
export interface CombinationField extends Common {
  kind: "weights" | "order";
  of: readonly ReferencedKind[];
}

/** A choice of few options is radio buttons, of many a list. */
export const MAX_RADIO_OPTIONS = 4;

export type Field =
  | TextField
  | NumberField
  | ShareField
  | FlagField
  | ChoiceField
  | ListField
  | RowsField
  | ReferenceField
  | CombinationField;

/** What a form edits: the fields of a resource kind or of a module. */
export interface FormDescription {
  readonly fields: readonly Field[];
  /** The members that the fields read, where the record nests them. */
  flatten?(record: Body): Body;
  /** The body of the members that the fields wrote, where the API nests them. */
  nest?(members: Body): Body;
  /** The mistakes of the draft as a whole, by the field that shows them. */
  mistakes?(draft: Draft): Readonly<Record<string, string>>;
}
