// The state of a form: what was edited, which mistakes are shown, and the request that it sends.
import { useMemo, useState, type RefObject } from "react";
import { ApiError, asProblem } from "../../api/problem";
import type { Method } from "../../api/request";
import { useApiMutation, type ChangedRecord } from "../management";
import { keepDraft, keptDraft } from "./drafts";
import { draftOf, initialValue, requestBody, shownFields } from "./draft";
import type { Body, Draft, Field, FormDescription, Value } from "./field";
import { focusField } from "./focusField";
import { mistakesOf } from "./mistakes";

export interface FormRequest {
  form: FormDescription;
  /** The record to change; null for a new one. */
  record: object | null;
  /** POST creates a record, PATCH sends only the differences, PUT replaces the whole. */
  method: Method;
  path: string;
  /** Members sent in addition to the fields. */
  fixed?: Body;
  /** Collections whose queries are invalidated afterwards. */
  invalidates: readonly string[];
  onDone(record: ChangedRecord): void;
}

export type FormState = ReturnType<typeof useForm>;

export function useForm(element: RefObject<HTMLFormElement | null>, request: FormRequest) {
  const { form, record, method, path, fixed, invalidates, onDone } = request;
  const key = `${method} ${path}`;
  const [edited, setEdited] = useState<Draft>(() => keptDraft(key));
  const [isRestored, setRestored] = useState(() => hasInput(form, edited));
  const [tried, setTried] = useState(false);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const mutation = useApiMutation(invalidates);
  const before = useMemo(() => draftOf(form, record), [form, record]);
  const draft = { ...before, ...edited };
  const fields = shownFields(form, draft, record);
  const mistakes = mistakesOf(form, draft, record);
  const members = requestBody(form, method, draft, record);
  const body = { ...fixed, ...members };
  const isUnchanged =
    record !== null && JSON.stringify(members) === JSON.stringify(requestBody(form, method, before, record));
  const refused = mutation.error;
  const refusedField = fieldOfError(fields, refused);

  const discard = () => {
    setEdited({});
    keepDraft(key, {});
    setRestored(false);
  };
  const send = () => {
    setTried(true);
    const first = fields.find(({ name }) => mistakes[name] !== undefined);
    if (first) focusField(element.current, first);
    else if (!isUnchanged && !mutation.isPending)
      mutation.mutate(
        { method, path, body },
        {
          onSuccess: (answer) => {
            discard();
            setTried(false);
            setTouched(new Set());
            onDone(answer);
          },
          onError: (thrown) => focusField(element.current, fieldOfError(fields, thrown)),
        },
      );
  };
  return {
    fields,
    draft,
    body,
    mistakes,
    tried,
    isUnchanged,
    isPending: mutation.isPending,
    problem: refused && asProblem(refused),
    valueOf: (field: Field): Value => draft[field.name] ?? initialValue(field),
    mistakeOf: (field: Field): string | null => {
      if (refused && field === refusedField) return asProblem(refused).message;
      return tried || touched.has(field.name) ? (mistakes[field.name] ?? null) : null;
    },
    touch: (name: string) => setTouched((former) => new Set(former).add(name)),
    change: (name: string, value: Value) => {
      if (refused) mutation.reset();
      setEdited((former) => {
        const next = { ...former, [name]: value };
        keepDraft(key, next);
        return next;
      });
    },
    /** Whether there is input from an earlier visit of the page. */
    isRestored,
    discard,
    send,
  };
}

/** Whether a draft holds more than what the form has chosen by itself. */
function hasInput(form: FormDescription, draft: Draft): boolean {
  return form.fields.some(
    (field) => draft[field.name] !== undefined && !(field.kind === "reference" && field.preselect),
  );
}

/** The field of an API error, which may also name a member of an object or a position in a list. */
function fieldOfError(fields: readonly Field[], thrown: unknown): Field | undefined {
  const named = thrown instanceof ApiError ? thrown.details["field"] : undefined;
  if (typeof named !== "string") return undefined;
  const parts = named.replace(/\[\d+\]/g, "").split(".");
  return fields.find(({ name }) => name === parts.at(-1)) ?? fields.find(({ name }) => name === parts[0]);
}
