// What a module is to its form: where it may be set, what is asked for, and how that becomes a body and back.

/** What a module is set on. */
export type Owner = "https_edge" | "https_route" | "tls_edge" | "tcp_edge";

/** One part of a form's state. Numbers stay as they were typed until they are sent. */
export type Value = string | boolean | readonly string[] | readonly Pair[];

export interface Pair {
  name: string;
  value: string;
}

/** What stands in a form, by the names of its fields. */
export type Draft = Readonly<Record<string, Value>>;

/** What the API answers or takes, before it is looked at. */
export type Body = Record<string, unknown>;

interface Common {
  /** The member of the body it becomes. */
  name: string;
  label: string;
  help?: string;
  required?: boolean;
  /** Stands behind "More settings": most people leave it as it is. */
  advanced?: boolean;
  /** Whether it is asked for at all, by what stands in the rest of the form. */
  when?(draft: Draft): boolean;
}

export interface TextField extends Common {
  kind: "text" | "secret" | "document";
  value: string;
  /** The longest, in characters. */
  longest: number;
  placeholder?: string;
  /** What is wrong with a text that is neither empty nor too long. */
  wrong?(text: string): string | null;
}

export interface NumberField extends Common {
  kind: "number";
  value: number;
  least: number;
  most: number;
  unit: string;
  /** What is wrong with a number within the bounds. */
  wrong?(value: number): string | null;
  /** What a number means that is not one, such as 0 for "never". */
  means?: Readonly<Record<number, string>>;
}

export interface ShareField extends Common {
  kind: "share";
  /** From 0 to 1; shown and typed as a percentage. */
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
  /** How many there may be, and how long each may be in characters. */
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

/** Records of another kind, chosen by what they are called. */
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
  /** What it does, in a sentence. */
  about: string;
  /** What it may be set on. */
  owners: readonly Owner[];
  /** How the edge calls it where it writes down its decisions. */
  trace: string;
  fields: readonly Field[];
  /** Its settings in a line, read from what the API shows. */
  summary(view: Body): string;
  /** What visitors meet when it is switched off or removed. */
  without: string;
  /** What stands in the form for a module that is set; the members as they are, unless said otherwise. */
  read?(view: Body): Draft;
  /** The body of a draft, without `enabled`; the fields as they are, unless said otherwise. */
  write?(draft: Draft): Body;
  /** What is wrong with the draft as a whole, by the field where it is said. */
  mistakes?(draft: Draft): Readonly<Record<string, string>>;
  /** What the reader should know before it is sent. `apps`: providers with an app of the server's operator, if known. */
  warnings?(draft: Draft, apps: readonly string[] | null): readonly string[];
}
