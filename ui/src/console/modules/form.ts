// The state of a module's form: its initial values, its validation and the resulting request body.
import type {
  Body,
  Draft,
  Field,
  HeadersField,
  ListField,
  ModuleDescriptor,
  NumberField,
  ReferenceField,
  TextField,
  Value,
} from "./descriptor";
import { pairs } from "./headers";
import { textOf, textsOf } from "./texts";

/** The initial value of a field. */
export function initial(field: Field): Value {
  switch (field.kind) {
    case "number":
      return String(field.value);
    case "share":
      return String(field.value * 100);
    case "list":
    case "headers":
    case "references":
      return [];
    case "reference":
      return "";
    default:
      return field.value;
  }
}

/** The draft for a module that is not set. */
export function emptyDraft(module: ModuleDescriptor): Draft {
  return Object.fromEntries(module.fields.map((field) => [field.name, initial(field)]));
}

/** The draft with the current settings of a module. */
export function draftOf(module: ModuleDescriptor, view: Body): Draft {
  const read = module.read?.(view) ?? {};
  const shown = module.fields.map((field) => [
    field.name,
    read[field.name] ?? valueOf(field, view[field.name]),
  ]);
  return Object.fromEntries(shown) as Draft;
}

function valueOf(field: Field, value: unknown): Value {
  if (value === null || value === undefined) return initial(field);
  switch (field.kind) {
    case "number":
      return String(value);
    case "share":
      return String(Number((Number(value) * 100).toFixed(6)));
    case "switch":
      return value === true;
    case "list":
    case "references":
      return textsOf(value);
    default:
      return textOf(value);
  }
}

/** Whether a field is shown for the current state of the form. */
export function isShown(field: Field, draft: Draft): boolean {
  return field.when?.(draft) ?? true;
}

/** The request body with the whole module. */
export function bodyOf(module: ModuleDescriptor, draft: Draft, enabled: boolean): Body {
  if (module.write) return { enabled, ...module.write(draft) };
  const members = module.fields
    .filter((field) => isShown(field, draft))
    .map((field) => [field.name, memberOf(field, draft[field.name] ?? initial(field))]);
  return { enabled, ...Object.fromEntries(members) };
}

function memberOf(field: Field, value: Value): unknown {
  switch (field.kind) {
    case "number":
      return Number(value);
    case "share":
      return Number((Number(value) / 100).toFixed(8));
    default:
      return value;
  }
}

/** The body that turns a module on or off: all its settings, and the new `enabled`. */
export function switched(module: ModuleDescriptor, view: Body, enabled: boolean): Body {
  return bodyOf(module, draftOf(module, view), enabled);
}

/** The validation errors by field. The server checks what only it can know. */
export function mistakesOf(module: ModuleDescriptor, draft: Draft): Readonly<Record<string, string>> {
  const found: Record<string, string> = { ...module.mistakes?.(draft) };
  for (const field of module.fields) {
    if (!isShown(field, draft)) continue;
    const wrong = mistakeIn(field, draft[field.name] ?? initial(field));
    if (wrong !== null) found[field.name] = wrong;
  }
  return found;
}

function mistakeIn(field: Field, value: Value): string | null {
  switch (field.kind) {
    case "text":
    case "secret":
    case "document":
      return wrongText(field, textOf(value));
    case "number":
      return wrongNumber(field, textOf(value));
    case "share":
      return wrongShare(textOf(value));
    case "list":
      return wrongList(field, textsOf(value));
    case "headers":
      return wrongHeaders(field, value);
    case "reference":
      return field.required && textOf(value) === "" ? `Choose a ${field.label.toLowerCase()}.` : null;
    case "references":
      return wrongReferences(field, textsOf(value));
    default:
      return field.required && value === "" ? `Choose a ${field.label.toLowerCase()}.` : null;
  }
}

function wrongText(field: TextField, text: string): string | null {
  if (text === "") return field.required ? `${field.label} is required.` : null;
  if (text.length > field.longest)
    return `At most ${field.longest} characters are allowed; there are ${text.length}.`;
  return field.wrong?.(text) ?? null;
}

function wrongNumber(field: NumberField, text: string): string | null {
  const value = Number(text);
  if (!/^\d+$/.test(text.trim())) return `Enter a whole number of ${field.unit}.`;
  if (value < field.least || value > field.most)
    return `Enter ${field.least} to ${field.most} ${field.unit}.`;
  return field.wrong?.(value) ?? null;
}

function wrongShare(text: string): string | null {
  const value = Number(text);
  const fits = text.trim() !== "" && value >= 0 && value <= 100;
  return fits ? null : "Enter a percentage from 0 to 100.";
}

function wrongList(field: ListField, list: readonly string[]): string | null {
  if (list.length === 0 && field.required) return `${field.label}: at least one is required.`;
  if (list.length > field.most) return `At most ${field.most} are allowed; there are ${list.length}.`;
  for (const text of list) {
    if (text.length > field.longest)
      return `“${text.slice(0, 40)}…” has more than ${field.longest} characters.`;
    const wrong = field.wrong?.(text);
    if (wrong) return wrong;
  }
  return null;
}

function wrongHeaders(field: HeadersField, value: Value): string | null {
  const all = pairs(value);
  if (all.length > field.most) return `At most ${field.most} are allowed; there are ${all.length}.`;
  return all.map((pair) => field.wrong(pair)).find((wrong) => wrong !== null) ?? null;
}

function wrongReferences(field: ReferenceField, ids: readonly string[]): string | null {
  if (ids.length === 0 && field.required) return "Choose at least one.";
  return ids.length > field.most ? `At most ${field.most} are allowed; there are ${ids.length}.` : null;
}

export const COVERED = "••••••••";

/** The body for display: values of secret fields are masked wherever they occur in it. */
export function coveredBody(module: ModuleDescriptor, body: Body): Body {
  const secret = new Set(module.fields.filter(({ kind }) => kind === "secret").map(({ name }) => name));
  const cover = (name: string, value: unknown) =>
    secret.has(name) && typeof value === "string" && value !== "" ? COVERED : value;
  return JSON.parse(JSON.stringify(body, cover)) as Body;
}
