// The description of a module for its form: its owners, its fields, and the conversion to a request body and back.

/** The kinds that can have modules. */
export type Owner = "https_edge" | "https_route" | "tls_edge" | "tcp_edge";

/** The value of one field in a form. Numbers are kept as typed until they are sent. */
export type Value = string | boolean | readonly string[] | readonly Pair[];

export interface Pair {
  name: string;
  value: string;
}

/** The values of a form by field name. */
export type Draft = Readonly<Record<string, Value>>;

/** A JSON object of the API before validation. */
export type Body = Record<string, unknown>;

interface Common {
  /** The member of the body that it sets. */
  name: string;
  label: string;
  help?: string;
  required?: boolean;
  /** Shown under "More settings": most users keep the default. */
  advanced?: boolean;
  /** Whether it is shown, by the other values of the form. */
  when?(draft: Draft): boolean;
}

export interface TextField extends Common {
  kind: "text" | "secret" | "document";
  value: string;
  /** Maximum length in characters. */
  longest: number;
  placeholder?: string;
  /** The error of a text that is neither empty nor too long. */
  wrong?(text: string): string | null;
}

export interface NumberField extends Common {
  kind: "number";
  value: number;
  least: number;
  most: number;
  unit: string;
  /** The error of a number within the bounds. */
  wrong?(value: number): string | null;
  /** The meaning of a special number, such as 0 for "never". */
  means?: Readonly<Record<number, string>>;
}

export interface ShareField extends Common {
  kind: "share";
  /** From 0 to 1; displayed and typed as a percentage. */
  value: number;
}

export interface SwitchField extends Common {
  kind: "switch";
  value: boolean;
}

export interface Option {
  value: string;
  label: string;
}

export interface ChoiceField extends Common {
  kind: "choice" | "search";
  value: string;
  options: readonly Option[];
}

export interface ListField extends Common {
  kind: "list";
  /** Maximum number of entries, and the maximum length of each in characters. */
  most: number;
  longest: number;
  placeholder?: string;
  wrong?(text: string): string | null;
}

export interface HeadersField extends Common {
  kind: "headers";
  most: number;
  wrong(pair: Pair): string | null;
}

/** Records of another kind, selected by name. */
export interface ReferenceField extends Common {
  kind: "reference" | "references";
  of: "backends" | "ip_policies" | "certificate_authorities";
  most: number;
}

export type Field =
  | TextField
  | NumberField
  | ShareField
  | SwitchField
  | ChoiceField
  | ListField
  | HeadersField
  | ReferenceField;

export interface ModuleDescriptor {
  /** Its name in paths and in the record of its owner. */
  name: string;
  label: string;
  /** What it does, in one sentence. */
  about: string;
  /** The kinds of owners that can have it. */
  owners: readonly Owner[];
  /** Its name in the recorded decisions of the edge. */
  trace: string;
  fields: readonly Field[];
  /** Its settings in one line, from the record of the API. */
  summary(view: Body): string;
  /** What visitors get when it is turned off or removed. */
  without: string;
  /** The draft for a module that is set; by default the members unchanged. */
  read?(view: Body): Draft;
  /** The body of a draft without `enabled`; by default the fields unchanged. */
  write?(draft: Draft): Body;
  /** The errors of the draft as a whole, by the field that shows them. */
  mistakes?(draft: Draft): Readonly<Record<string, string>>;
  /** Notes before it is sent. `apps`: providers for which the operator has registered an app, if known. */
  warnings?(draft: Draft, apps: readonly string[] | null): readonly string[];
}
