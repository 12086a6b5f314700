// The form of one module of an owner: its settings, the values for its provider, and the request it sends.
import { useId, useMemo, useRef, useState, type FormEvent } from "react";
import { ApiError, asProblem } from "../../api/problem";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import { Notice, ProblemText } from "../../parts/Notice";
import { useServer } from "../edges/useServer";
import { useApiMutation } from "../management";
import { RequestPreview } from "../resource/RequestPreview";
import form from "../resource/form.module.css";
import type { Body, Draft, Field, ModuleDescriptor, Value } from "./descriptor";
import { isShown, bodyOf, coveredBody, draftOf, emptyDraft, initial, mistakesOf } from "./form";
import { FieldInput } from "./inputs/FieldInput";
import styles from "./ModuleForm.module.css";
import { ProviderValues } from "./ProviderValues";
import { PolicyTester } from "./PolicyTester";
import { isRecord, textsOf } from "./texts";

interface ModuleFormProps {
  module: ModuleDescriptor;
  /** The path of the owner's record, and the collection whose queries are invalidated. */
  path: string;
  collection: string;
  /** The module as in the API; null where it is not set. */
  view: Body | null;
  /** The reason for which the API would refuse it beside the other modules. */
  conflict: string | null;
  /** The id of a route, for the values that its provider needs. */
  route: string | null;
  /** An address to try it. */
  address: string | null;
  onDone(): void;
  onCancel(): void;
}

export function ModuleForm({
  module,
  path,
  collection,
  view,
  conflict,
  route,
  address,
  onDone,
  onCancel,
}: ModuleFormProps) {
  const id = useId();
  const element = useRef<HTMLFormElement>(null);
  const [edited, setEdited] = useState<Draft>({});
  const [tried, setTried] = useState(false);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const { data: server } = useServer();
  const change = useApiMutation([collection]);
  const before = useMemo(() => (view ? draftOf(module, view) : emptyDraft(module)), [module, view]);
  const draft = { ...before, ...edited };
  // Editing a module that is turned off does not turn it on.
  const body = bodyOf(module, draft, view ? view["enabled"] === true : true);
  const mistakes = mistakesOf(module, draft);
  const fields = module.fields.filter((field) => isShown(field, draft));
  const refused = change.error;
  const named = refused instanceof ApiError ? refused.details["field"] : undefined;
  const refusedField = typeof named === "string" ? fieldOf(fields, named) : undefined;
  const unchanged =
    view !== null &&
    JSON.stringify(body) === JSON.stringify(bodyOf(module, before, body["enabled"] === true));

  const focus = (name: string) => {
    const index = element.current?.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`);
    index?.closest("details")?.setAttribute("open", "");
    index?.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const first = fields.find(({ name }) => mistakes[name])?.name;
    if (first !== undefined) return focus(first);
    if (unchanged || change.isPending) return undefined;
    change.mutate(
      { method: "PUT", path: `${path}/${module.name}`, body },
      {
        onSuccess: onDone,
        onError: (thrown) => {
          const field = thrown instanceof ApiError ? thrown.details["field"] : undefined;
          const own = typeof field === "string" ? fieldOf(fields, field) : undefined;
          if (own) focus(own.name);
        },
      },
    );
    return undefined;
  };
  const mistakeOf = (field: Field): string | null => {
    if (refusedField === field && refused) return asProblem(refused).message;
    return tried || touched.has(field.name) ? (mistakes[field.name] ?? null) : null;
  };
  const set = (name: string, value: Value) => {
    if (refused) change.reset();
    setEdited((former) => ({ ...former, [name]: value }));
  };
  const input = (field: Field) => (
    <div
      key={field.name}
      data-field={field.name}
      onBlur={() => setTouched((former) => new Set(former).add(field.name))}
    >
      <FieldInput
        field={field}
        value={draft[field.name] ?? initial(field)}
        mistake={mistakeOf(field)}
        onChange={(value) => set(field.name, value)}
      />
    </div>
  );
  const problem = refused && asProblem(refused);
  const warnings = [
    ...(conflict ? [conflict] : []),
    ...(module.warnings?.(draft, server?.oauth_apps ?? null) ?? []),
  ];
  const more = fields.filter((field) => field.advanced);
  return (
    <div className={form.frame}>
      <form
        ref={element}
        className={form.form}
        noValidate
        onSubmit={send}
        aria-label={view ? `Settings of ${module.label}` : `Add ${module.label}`}
      >
        <div className={form.fields}>
          {route && (
            <ProviderValues module={module} draft={draft} route={route} view={view} address={address} />
          )}
          {module.fields.length === 0 && (
            <p className={form.quiet}>It has no settings; it can only be turned on or off.</p>
          )}
          {fields.filter((field) => !field.advanced).map(input)}
          {more.length > 0 && (
            <details
              className={styles.more}
              open={more.some(({ name }) => tried && mistakes[name]) || undefined}
            >
              <summary>More settings</summary>
              <div className={styles.inner}>{more.map(input)}</div>
            </details>
          )}
          {module.name === "ip_restriction" && <PolicyTester policies={textsOf(draft["ip_policy_ids"])} />}
          {warnings.map((sentence) => (
            <Notice key={sentence} tone="warn" title={sentence} />
          ))}
          {problem && (
            <Notice tone="bad" title="The server refused the request" alert>
              <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
            </Notice>
          )}
          <div className={form.actions}>
            <Button
              id={`${id}-submit`}
              type="submit"
              weight="primary"
              icon="check"
              busy={change.isPending}
              aria-disabled={unchanged || undefined}
            >
              {view ? "Save" : `Add ${module.label}`}
            </Button>
            <Button onClick={onCancel}>{view ? "Close" : "Cancel"}</Button>
            {unchanged && module.fields.length > 0 && (
              <span className={form.quiet}>Nothing has changed yet.</span>
            )}
          </div>
        </div>
        <div className={styles.preview}>
          <RequestPreview
            method="PUT"
            path={`${path}/${module.name}`}
            body={body}
            shown={coveredBody(module, body)}
          />
        </div>
      </form>
    </div>
  );
}

/** The field of an API error, which may also name a member of an object or a position in a list. */
function fieldOf(fields: readonly Field[], named: string): Field | undefined {
  const parts = named.replace(/\[\d+\]/g, "").split(".");
  return fields.find(({ name }) => name === parts.at(-1)) ?? fields.find(({ name }) => name === parts[0]);
}

/** Whether a record has this module, enabled. */
export function isOn(view: unknown): boolean {
  return isRecord(view) && view["enabled"] === true;
}
