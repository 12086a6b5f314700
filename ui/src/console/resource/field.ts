// A field of a form: how it is read from a record, judged as the API would, and written into a body.
import type { ComponentType } from "react";
import type { Base } from "../../api/management";

/** What a form holds while it is filled in, by the names of its fields. */
export type Draft = Readonly<Record<string, unknown>>;

export interface InputProps<V> {
  field: Field<V>;
  value: V;
  onChange(value: V): void;
  /** What is wrong with the value, if that is to be shown now. */
  mistake: string | null;
  /** The record that is changed; null while one is made. */
  record: Base | null;
}

/** Methods, not properties, so that fields of any value can stand in one list. */
export interface Field<V = unknown> {
  /** The member of the body, and what the API calls the field in an error. */
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  /** Can be said only when the record is made. */
  readonly createOnly?: boolean;
  /** Masked in what is shown of the request unless asked. */
  readonly secret?: boolean;
  /** Where the record says it under another name. */
  read(record: Base): V;
  initial(): V;
  /** The member of the body; undefined leaves it out. */
  write(value: V): unknown;
  /** What the API would say about the value, or null. */
  check(value: V): string | null;
  /** Whether the field belongs into the form as filled in so far. */
  shown?(draft: Draft): boolean;
  readonly Input: ComponentType<InputProps<V>>;
}

/** The body of a request: everything said when a record is made, only what differs when one is changed. */
export function bodyOf(fields: readonly Field[], draft: Draft, record: Base | null): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of shownFields(fields, draft, record)) {
    const written = field.write(draft[field.name]);
    if (record !== null) {
      const before = field.write(field.read(record));
      if (JSON.stringify(before) === JSON.stringify(written)) continue;
      // Nothing at all would mean “unchanged” in a change, so emptiness is said.
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

/** The mistakes by the names of their fields. */
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

/** The body with its secrets covered. */
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
