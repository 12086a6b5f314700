// A form made of fields. Errors are shown at the field, both those found here and those of the API.
import { useId, useMemo, useRef, useState, type FormEvent, type ReactNode } from "react";
import type { Base } from "../../api/management";
import type { Method } from "../../api/request";
import { ApiError, asProblem } from "../../api/problem";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import { Notice, ProblemText } from "../../parts/Notice";
import { useApiMutation, type ChangedRecord } from "../management";
import { bodyOf, draftOf, masked, mistakesOf, shownFields, type Draft, type Field } from "./field";
import styles from "./form.module.css";
import { RequestPreview } from "./RequestPreview";

interface ResourceFormProps {
  fields: readonly Field[];
  /** The record to change; null for a new one. */
  record: Base | null;
  method: Method;
  path: string;
  /** Members sent in addition to the fields. */
  fixed?: Readonly<Record<string, unknown>>;
  /** Initial values of a new form, by field name. */
  initial?: Draft;
  /** Collections whose queries are invalidated afterwards. */
  forgets: readonly string[];
  submit: string;
  onDone(record: ChangedRecord): void;
  onCancel?: () => void;
  /** Shown below the fields, above the buttons. */
  children?: ReactNode;
  /** Sends all members, as a replacement requires. */
  whole?: boolean;
}

export function ResourceForm({
  fields,
  record,
  method,
  path,
  fixed,
  initial,
  forgets,
  submit,
  onDone,
  onCancel,
  children,
  whole = false,
}: ResourceFormProps) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [edited, setEdited] = useState<Draft>({});
  const [tried, setTried] = useState(false);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const change = useApiMutation(forgets);
  const draft = useMemo(
    () => ({ ...draftOf(fields, record), ...initial, ...edited }),
    [fields, record, initial, edited],
  );
  const mistakes = mistakesOf(fields, draft, record);
  const body = { ...bodyOf(fields, draft, whole ? null : record), ...fixed };
  const refused = change.error;
  const refusedField =
    refused instanceof ApiError
      ? (fields.find(({ name }) => name === refused.details["field"])?.name ?? null)
      : null;
  const unchanged = record !== null && !whole && Object.keys(body).length === 0;

  const focus = (name: string) => {
    const place = form.current?.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`);
    place?.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const first = Object.keys(mistakes)[0];
    if (first !== undefined) return focus(first);
    if (unchanged || change.isPending) return undefined;
    change.mutate(
      { method, path, body },
      {
        onSuccess: (answer) => {
          setEdited({});
          setTried(false);
          setTouched(new Set());
          onDone(answer);
        },
        onError: (thrown) => {
          const field = thrown instanceof ApiError ? thrown.details["field"] : undefined;
          if (field !== undefined) focus(field);
        },
      },
    );
    return undefined;
  };
  const mistakeOf = (field: Field): string | null => {
    if (refusedField === field.name && refused) return asProblem(refused).message;
    return tried || touched.has(field.name) ? (mistakes[field.name] ?? null) : null;
  };
  const problem = refused && asProblem(refused);
  return (
    <div className={styles.frame}>
      <form ref={form} className={styles.form} noValidate onSubmit={send} aria-labelledby={`${id}-submit`}>
        <div className={styles.fields}>
          {shownFields(fields, draft, record).map((field) => (
            <div
              key={field.name}
              data-field={field.name}
              onBlur={() => setTouched((before) => new Set(before).add(field.name))}
            >
              <field.Input
                field={field}
                value={draft[field.name]}
                record={record}
                mistake={mistakeOf(field)}
                onChange={(value) => {
                  if (refused) change.reset();
                  setEdited((before) => ({ ...before, [field.name]: value }));
                }}
              />
            </div>
          ))}
          {children}
          {problem && (
            <Notice tone="bad" title="The server refused the request" alert>
              <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
            </Notice>
          )}
          <div className={styles.actions}>
            <Button
              id={`${id}-submit`}
              type="submit"
              weight="primary"
              busy={change.isPending}
              aria-disabled={unchanged || undefined}
            >
              {submit}
            </Button>
            {onCancel && <Button onClick={onCancel}>Cancel</Button>}
            {unchanged && <span className={styles.quiet}>Nothing has changed yet.</span>}
          </div>
        </div>
        <RequestPreview method={method} path={path} body={body} shown={masked(fields, body)} />
      </form>
    </div>
  );
}
