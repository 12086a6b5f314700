// The draft of a form, and the body of a request made of it.
import type { Method } from "../../api/request";
import type { Body, Draft, Field, FormDescription, Row, RowsField, Value } from "./field";
import { isRecord, rowsOf, textOf, textsOf } from "./values";

/** The initial value of a field. */
export function initialValue(field: Field): Value {
  switch (field.kind) {
    case "text":
    case "secret":
    case "document":
      return field.initial ?? "";
    case "number":
      return String(field.initial);
    case "share":
      return String(field.initial * 100);
    case "flag":
      return field.initial;
    case "choice":
      return field.initial ?? field.options[0]?.value ?? "";
    case "reference":
      return "";
    case "list":
    case "rows":
    case "references":
    case "weights":
    case "order":
      return [];
  }
}

/** The draft of a record, or of a new one for null. */
export function draftOf(form: FormDescription, record: object | null): Draft {
  if (record === null) return valuesOf(form, initialValue);
  const members = { ...record } as Body;
  const flat = form.flatten?.(members) ?? members;
  return valuesOf(form, (field) => valueOf(field, field.read ? field.read(members) : flat[field.name]));
}

function valuesOf(form: FormDescription, value: (field: Field) => Value): Draft {
  return Object.fromEntries(form.fields.map((field) => [field.name, value(field)]));
}

function valueOf(field: Field, member: unknown): Value {
  if (member === null || member === undefined) return initialValue(field);
  switch (field.kind) {
    case "number":
      return String(member);
    case "share":
      return String(Number((Number(member) * 100).toFixed(6)));
    case "flag":
      return member === true;
    case "list":
    case "references":
    case "order":
      return textsOf(member);
    case "weights":
      return Object.entries(member).map(([id, weight]) => ({ id, weight: String(weight) }));
    case "rows":
      return readRows(field, member);
    default:
      return typeof member === "number" ? String(member) : textOf(member);
  }
}

function readRows({ columns, shape }: RowsField, member: unknown): Row[] {
  if (shape === "map") {
    const [key, value] = columns;
    return Object.entries(isRecord(member) ? member : {}).map(([name, text]) => ({
      [key.name]: name,
      ...(value ? { [value.name]: textOf(text) } : {}),
    }));
  }
  const rows = Array.isArray(member) ? member.filter(isRecord) : [];
  return rows.map((row) => Object.fromEntries(columns.map(({ name }) => [name, textOf(row[name])])));
}

/** The rows with any text, which are sent. */
export function filledRows(rows: readonly Row[]): Row[] {
  return rows.filter((row) => Object.values(row).some((cell) => cell.trim() !== ""));
}

/** The fields to show for the current values. */
export function shownFields(form: FormDescription, draft: Draft, record: object | null): Field[] {
  return form.fields.filter(
    (field) => !(record !== null && field.createOnly) && (field.when?.(draft) ?? true),
  );
}

/** All members that the shown fields set. */
export function bodyOf(form: FormDescription, draft: Draft, record: object | null): Body {
  const members: Body = {};
  for (const field of shownFields(form, draft, record)) {
    const value = draft[field.name] ?? initialValue(field);
    members[field.name] = field.write ? field.write(value) : memberOf(field, value);
  }
  return form.nest?.(members) ?? members;
}

function memberOf(field: Field, value: Value): unknown {
  switch (field.kind) {
    case "number":
      return Number(value);
    case "share":
      return Number((Number(value) / 100).toFixed(8));
    case "weights":
      return Object.fromEntries(rowsOf(value).map(({ id, weight }) => [id, Number(weight)]));
    case "rows":
      return writeRows(field, filledRows(rowsOf(value)));
    default:
      return value;
  }
}

const cellOf = (row: Row, name: string): string => row[name] ?? "";

function writeRows({ columns, shape }: RowsField, rows: readonly Row[]): unknown {
  const [key, second] = columns;
  if (shape === "map")
    return Object.fromEntries(
      rows.map((row) => [cellOf(row, key.name).trim(), second ? cellOf(row, second.name) : ""]),
    );
  return rows.map((row) =>
    Object.fromEntries(
      columns
        .filter(({ name, secret }) => !secret || cellOf(row, name) !== "")
        .map(({ name }) => [name, cellOf(row, name)]),
    ),
  );
}

/** The body of a request: a new record without empty members, the differences of a change, or a whole replacement. */
export function requestBody(
  form: FormDescription,
  method: Method,
  draft: Draft,
  record: object | null,
): Body {
  const body = bodyOf(form, draft, record);
  if (method === "PUT") return body;
  const before = record === null ? {} : bodyOf(form, draftOf(form, record), record);
  return Object.fromEntries(
    Object.entries(body).filter(([name, member]) =>
      record === null ? !isEmpty(member) : JSON.stringify(member) !== JSON.stringify(before[name]),
    ),
  );
}

function isEmpty(member: unknown): boolean {
  if (member === undefined || member === "") return true;
  return typeof member === "object" && member !== null && Object.keys(member).length === 0;
}

export const MASK = "••••••••";

/** The body for display: the texts of secret fields and columns are masked wherever they occur in it. */
export function maskedBody({ fields }: FormDescription, body: Body): Body {
  const secrets = new Set(
    fields.flatMap((field) => {
      if (field.kind === "rows") return field.columns.filter(({ secret }) => secret).map(({ name }) => name);
      return field.kind === "secret" ? [field.name] : [];
    }),
  );
  const mask = (name: string, value: unknown) =>
    secrets.has(name) && typeof value === "string" && value !== "" ? MASK : value;
  return JSON.parse(JSON.stringify(body, mask)) as Body;
}
