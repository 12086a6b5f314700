// The mistakes in a draft, found before it is sent. The server checks what only it can know.
import { filledRows, initialValue, shownFields } from "./draft";
import type {
  ChoiceField,
  Draft,
  Field,
  FormDescription,
  ListField,
  NumberField,
  ReferenceField,
  Row,
  RowsField,
  TextField,
  Value,
} from "./field";
import { byteLength, rowsOf, textOf, textsOf } from "./values";

const MAX_WEIGHT = 10_000;
const MAX_BACKENDS = 100;

/** The mistakes by field name. */
export function mistakesOf(
  form: FormDescription,
  draft: Draft,
  record: object | null,
): Readonly<Record<string, string>> {
  const found: Record<string, string> = { ...form.mistakes?.(draft) };
  for (const field of shownFields(form, draft, record)) {
    const mistake = mistakeIn(field, draft[field.name] ?? initialValue(field));
    if (mistake !== null) found[field.name] = mistake;
  }
  return found;
}

function mistakeIn(field: Field, value: Value): string | null {
  switch (field.kind) {
    case "text":
    case "secret":
    case "document":
      return textMistake(field, textOf(value));
    case "number":
      return numberMistake(field, textOf(value).trim());
    case "share":
      return shareMistake(textOf(value).trim());
    case "flag":
      return null;
    case "choice":
    case "reference":
      return unchosen(field, textOf(value));
    case "list":
      return listMistake(field, textsOf(value));
    case "rows":
      return rowsMistake(field, rowsOf(value));
    case "references":
      return referencesMistake(field, textsOf(value));
    case "weights":
      return tooMany(MAX_BACKENDS, rowsOf(value).length) ?? weightMistake(rowsOf(value));
    case "order":
      return tooMany(MAX_BACKENDS, textsOf(value).length);
  }
}

function tooMany(max: number | undefined, count: number): string | null {
  return max !== undefined && count > max ? `At most ${max} are allowed; there are ${count}.` : null;
}

function textMistake(
  { label, required, maxLength, maxBytes, check }: TextField,
  text: string,
): string | null {
  if (text === "") return required ? `${label} is required.` : null;
  if (maxLength !== undefined && text.length > maxLength)
    return `At most ${maxLength} characters are allowed; there are ${text.length}.`;
  const bytes = byteLength(text);
  if (maxBytes !== undefined && bytes > maxBytes)
    return `${bytes} bytes; at most ${maxBytes} are allowed. Characters beyond ASCII count as 2 to 4 bytes.`;
  return check?.(text) ?? null;
}

function numberMistake({ min, max, unit, check }: NumberField, text: string): string | null {
  const value = Number(text);
  const isWhole = /^\d+$/.test(text);
  if (unit !== undefined && !isWhole) return `Enter a whole number of ${unit}.`;
  if (!isWhole || value < min || value > max)
    return unit === undefined
      ? `Enter a whole number from ${min} to ${max}.`
      : `Enter ${min} to ${max} ${unit}.`;
  return check?.(value) ?? null;
}

function shareMistake(text: string): string | null {
  const value = Number(text);
  return text !== "" && value >= 0 && value <= 100 ? null : "Enter a percentage from 0 to 100.";
}

function unchosen({ label, required }: ChoiceField | ReferenceField, value: string): string | null {
  return required && value === "" ? `Choose ${withArticle(label)}.` : null;
}

/** A label inside a sentence, such as `a backend` or `an SSH authority`. */
function withArticle(label: string): string {
  const words = /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
  // Letters whose names begin with a vowel stand at the beginning of abbreviations.
  return /^([aeiou]|[AEFHILMNORSX][A-Z])/.test(words) ? `an ${words}` : `a ${words}`;
}

function listMistake({ label, required, maxItems, maxLength, check }: ListField, list: readonly string[]) {
  if (list.length === 0 && required) return `${label}: at least one is required.`;
  const excess = tooMany(maxItems, list.length);
  if (excess !== null) return excess;
  for (const text of list) {
    if (maxLength !== undefined && text.length > maxLength)
      return `“${text.slice(0, 40)}…” has more than ${maxLength} characters.`;
    const mistake = check?.(text) ?? null;
    if (mistake !== null) return mistake;
  }
  return null;
}

function rowsMistake(field: RowsField, rows: readonly Row[]): string | null {
  const [key] = field.columns;
  const filled = filledRows(rows);
  if (filled.length === 0 && field.required) return `${field.label}: at least one is required.`;
  const excess = tooMany(field.maxItems, filled.length);
  if (excess !== null) return excess;
  const names = new Set<string>();
  for (const row of filled) {
    const name = (row[key.name] ?? "").trim().toLowerCase();
    if (name === "" && !field.mayOmitFirst) return `${key.label} ${rows.indexOf(row) + 1} is required.`;
    const mistake = field.check?.(row) ?? null;
    if (mistake !== null) return mistake;
    if (field.shape === "map" && names.has(name)) return `“${name}” occurs twice: case does not matter.`;
    names.add(name);
  }
  return null;
}

function referencesMistake(
  { required, maxItems, of }: ReferenceField,
  ids: readonly string[],
): string | null {
  if (ids.length === 0 && required) return `Choose at least one ${of[0]?.singular}.`;
  return tooMany(maxItems, ids.length);
}

function weightMistake(rows: readonly Row[]): string | null {
  const wrong = rows.find(({ weight = "" }) => !/^\d{1,5}$/.test(weight) || Number(weight) > MAX_WEIGHT);
  return wrong ? `The weight of ${wrong["id"]} must be a whole number from 0 to ${MAX_WEIGHT}.` : null;
}
