// Completions for the word at the caret of the filter: fields, then values seen in the list.
import { quotedValue } from "./edit";

export interface Suggestion {
  /** Replaces the word at the caret. */
  insert: string;
  hint: string;
  /** Whether it completes the term. */
  whole: boolean;
}

export interface Completion {
  /** The range of the word at the caret. */
  from: number;
  end: number;
  items: Suggestion[];
}

/** Values seen in the list, the most frequent first. */
export interface SeenValues {
  methods: readonly string[];
  hosts: readonly string[];
  tunnels: readonly string[];
  statuses: readonly string[];
}

interface SuggestedField {
  insert: string;
  hint: string;
  values?(seenValues: SeenValues): readonly string[];
  /** Found by its name, but not offered before anything is typed. */
  rare?: boolean;
}

const YES_NO = () => ["yes", "no"];
const FIELDS: readonly SuggestedField[] = [
  { insert: "status:", hint: "404, 5xx, 400-499", values: statuses },
  { insert: "status>=", hint: "at least", values: () => ["400", "500"], rare: true },
  { insert: "method:", hint: "GET, POST", values: ({ methods }) => methods },
  { insert: "path:", hint: "contains; * matches anything, ~ is a regular expression" },
  { insert: "host:", hint: "contains", values: ({ hosts }) => hosts },
  { insert: "tunnel:", hint: "one tunnel", values: ({ tunnels }) => tunnels },
  { insert: "dur>", hint: "slower than", values: () => ["100ms", "500ms", "1s", "10s"] },
  { insert: "dur<", hint: "faster than", values: () => ["10ms", "100ms", "1s"], rare: true },
  {
    insert: "size>",
    hint: "larger than, request and response together",
    values: () => ["10kb", "100kb", "1mb", "10mb"],
  },
  { insert: "request.size>", hint: "larger than", values: () => ["10kb", "1mb"], rare: true },
  { insert: "response.size>", hint: "larger than", values: () => ["10kb", "1mb"], rare: true },
  { insert: "header.", hint: "a header's name, then : and a text", rare: true },
  { insert: "header.content-type:", hint: "of either message", values: types },
  { insert: "header.user-agent:", hint: "contains" },
  { insert: "request.header.", hint: "of the request alone", rare: true },
  { insert: "response.header.", hint: "of the response alone", rare: true },
  { insert: "type:", hint: "content type of the response", values: types },
  { insert: "body:", hint: "contains, either message" },
  { insert: "request.body:", hint: "contains", rare: true },
  { insert: "response.body:", hint: "contains", rare: true },
  { insert: "remote:", hint: "the visitor's address" },
  { insert: "note:", hint: "contains; * for any note" },
  { insert: "error:", hint: "contains; * for any failure" },
  { insert: "replayed:", hint: "sent again", values: YES_NO },
  { insert: "pinned:", hint: "kept longest", values: YES_NO },
  { insert: "pending:", hint: "no response yet", values: YES_NO },
  { insert: "imported:", hint: "from a HAR file", values: YES_NO },
  { insert: "cut:", hint: "incomplete", values: YES_NO },
  { insert: "not ", hint: "negates the next term", rare: true },
];
const MAX_SUGGESTIONS = 12;

function statuses({ statuses: seenValues }: SeenValues): readonly string[] {
  return [...new Set(["2xx", "3xx", "4xx", "5xx", ...seenValues.map((status) => status.slice(0, 3))])];
}

function types(): readonly string[] {
  return ["application/json", "text/html", "text/event-stream", "image/*", "multipart/form-data"];
}

/** `asked`: by a key; behind a term that is complete, suggestions would only cover the results. */
export function suggest(text: string, caret: number, seenValues: SeenValues, asked = false): Completion {
  const from = beginOfWord(text, caret);
  const word = text.slice(from, caret);
  const end = caret + (/^[^\s()"]*/.exec(text.slice(caret))?.[0].length ?? 0);
  const typed = word.toLowerCase();
  const field = FIELDS.filter(({ insert, values }) => values && typed.startsWith(insert)).toSorted(
    (a, b) => b.insert.length - a.insert.length,
  )[0];
  if (typed === "" && !asked && text.trim() !== "") return { from, end, items: [] };
  const items = field ? valuesOf(field, word, seenValues) : fields(typed);
  // A value that is already complete is not suggested.
  const others = items.filter(({ insert }) => insert.toLowerCase() !== typed);
  return { from, end, items: others.slice(0, MAX_SUGGESTIONS) };
}

function fields(typed: string): Suggestion[] {
  return FIELDS.filter(({ insert, rare }) => (typed === "" ? !rare : insert.startsWith(typed))).map(
    ({ insert, hint }) => ({ insert, hint, whole: false }),
  );
}

function valuesOf(field: SuggestedField, word: string, seenValues: SeenValues): Suggestion[] {
  const begun = word.slice(field.insert.length).replace(/^"/, "").toLowerCase();
  return (field.values?.(seenValues) ?? [])
    .filter((value) => value.toLowerCase().includes(begun))
    .map((value) => ({ insert: field.insert + quotedValue(value), hint: "", whole: true }));
}

/** Start of the word: after the last unquoted space or parenthesis. */
function beginOfWord(text: string, caret: number): number {
  let from = 0;
  let open = false;
  for (let at = 0; at < caret; at += 1) {
    const character = text[at];
    if (open && character === "\\") at += 1;
    else if (character === '"') open = !open;
    else if (!open && /[\s()]/.test(character ?? "")) from = at + 1;
  }
  return from;
}
