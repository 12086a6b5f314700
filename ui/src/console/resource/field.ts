// A field of a form: read from a record, validated as the API would, and written to a body.
import type { ReactNode } from "react";
import type { Base } from "../../api/management";

/** The values of a form by field name. */
export type Draft = Readonly<Record<string, unknown>>;

export interface InputProps<V> {
  field: Field<V>;
  value: V;
  onChange(value: V): void;
  /** The error of the value, if it is to be shown. */
  mistake: string | null;
  /** The record to change; null for a new one. */
  record: Base | null;
}

/** Methods, not properties, so that fields of any value can be in one list. */
export interface Field<V = unknown> {
  /** The member of the body, and the API's name of the field in errors. */
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  /** Can be set only on creation. */
  readonly createOnly?: boolean;
  /** Masked in the displayed request until revealed. */
  readonly secret?: boolean;
  /** For members with another name in the record. */
  read(record: Base): V;
  initial(): V;
  /** The member of the body; undefined omits it. */
  write(value: V): unknown;
  /** The error that the API would report for the value, or null. */
  check(value: V): string | null;
  /** Whether the field is shown for the current values. */
  shown?(draft: Draft): boolean;
  Input(props: InputProps<V>): ReactNode;
}

/** A member of a record by its name. */
export const memberOf = (record: object, name: string): unknown => (record as Record<string, unknown>)[name];

/** The body of a request: everything for a new record, only the differences for a change. */
export function bodyOf(fields: readonly Field[], draft: Draft, record: Base | null): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of shownFields(fields, draft, record)) {
    const written = field.write(draft[field.name]);
    if (record !== null) {
      const before = field.write(field.read(record));
      if (JSON.stringify(before) === JSON.stringify(written)) continue;
      // An omitted member would mean “unchanged”, so an empty value is sent.
      body[field.name] = written === undefined ? emptied(before) : written;
    } else if (written !== undefined) body[field.name] = written;
  }
  return body;
}

function emptied(before: unknown): unknown {
  if (Array.isArray(before)) return [];
  if (typeof before === "object" && before !== null) return {};
  return "";
}

export function shownFields(fields: readonly Field[], draft: Draft, record: Base | null): readonly Field[] {
  return fields.filter((field) => !(record !== null && field.createOnly) && (field.shown?.(draft) ?? true));
}

export function draftOf(fields: readonly Field[], record: Base | null): Draft {
  return Object.fromEntries(
    fields.map((field) => [field.name, record === null ? field.initial() : field.read(record)]),
  );
}

/** The errors by field name. */
export function mistakesOf(
  fields: readonly Field[],
  draft: Draft,
  record: Base | null,
): Readonly<Record<string, string>> {
  const mistakes: Record<string, string> = {};
  for (const field of shownFields(fields, draft, record)) {
    const mistake = field.check(draft[field.name]);
    if (mistake !== null) mistakes[field.name] = mistake;
  }
  return mistakes;
}

/** The body with its secrets masked. */
export function masked(fields: readonly Field[], body: Record<string, unknown>): Record<string, unknown> {
  const secret = new Set(fields.filter((field) => field.secret).map((field) => field.name));
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, secret.has(name) && value ? "••••••••" : value]),
  );
}

const encoder = new TextEncoder();

/** Limits of the API count bytes, not characters. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}
