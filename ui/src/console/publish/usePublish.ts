// The state of the page: what the server has, the values of the form, and the plan that follows from them.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import type { ServerFacts } from "../../api/generated";
import { collection } from "../../api/management";
import { mistakesOf } from "../form/mistakes";
import { shownFields, initialValue } from "../form/draft";
import type { Field, Value } from "../form/field";
import type { FieldsState } from "../form/FormFields";
import { POLL_INTERVAL_MS, useReferences } from "../form/references";
import { BACKENDS, IP_POLICIES } from "../kinds/references";
import { allQuery, useApiQuery, useManagement } from "../management";
import { answersOf } from "./answers";
import { initialDraft, publishForm, refusedField } from "./fields";
import { addressOf } from "./host";
import { tunnelOptions } from "./labels";
import { planOf } from "./plan";
import { remainingOf } from "./remaining";
import { publication } from "./storage";
import { usePublication } from "./usePublication";

const TUNNELS = collection("/tunnels");
const GROUPS = collection("/backends/tunnel_group");
const ADDRESSES = collection("/backends/static");

export type PublishState = ReturnType<typeof usePublish>;

export function usePublish(server: ServerFacts) {
  const api = useManagement();
  const client = useQueryClient();
  const state = usePublication();
  const tunnels = useApiQuery(allQuery(TUNNELS, { every: POLL_INTERVAL_MS }));
  const groups = useApiQuery(allQuery(GROUPS, { every: POLL_INTERVAL_MS }));
  const addresses = useApiQuery(allQuery(ADDRESSES, { every: POLL_INTERVAL_MS }));
  const backends = useReferences(BACKENDS, POLL_INTERVAL_MS);
  const policies = useReferences([IP_POLICIES], POLL_INTERVAL_MS);
  const [tried, setTried] = useState(false);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());

  const options = tunnelOptions(tunnels.data?.records ?? []);
  const preselected = useFirst(tunnels.data && (options.length === 1 ? (options[0]?.value ?? "") : ""));
  const facts = {
    server,
    tunnels: tunnels.data?.records ?? [],
    backends: new Map(backends.candidates.map(({ id, title }) => [id, title])),
    hasPolicies: policies.candidates.length > 0,
  };
  const form = publishForm(facts);
  const draft = { ...initialDraft(form, preselected ?? ""), ...state.edited };
  const fields = shownFields(form, draft, null);
  const mistakes = mistakesOf(form, draft, null);
  const answers = answersOf(draft, facts, state.publication);
  const plan = planOf(answers, {
    groups: groups.data?.records ?? [],
    addresses: addresses.data?.records ?? [],
  });
  const { failure } = state;
  const refused = failure?.verb === "created" ? refusedField(fields, failure.key, failure.member) : undefined;

  const fieldsState: FieldsState = {
    fields,
    tried,
    mistakes,
    valueOf: (field: Field): Value => draft[field.name] ?? initialValue(field),
    mistakeOf: (field: Field): string | null => {
      if (field === refused && failure) return failure.message;
      return tried || touched.has(field.name) ? (mistakes[field.name] ?? null) : null;
    },
    touch: (name: string) => setTouched((former) => new Set(former).add(name)),
    change: (name: string, value: Value) => publication.edit({ ...publication.state.edited, [name]: value }),
  };
  const changed = useCallback(
    (path: string) => {
      for (const key of [path, "/endpoints", "/status"]) void client.invalidateQueries({ queryKey: [key] });
    },
    [client],
  );
  return {
    ...state,
    server,
    draft,
    fields: fieldsState,
    answers,
    address: addressOf(String(draft["name"]), server),
    plan,
    remaining: remainingOf(plan, state.made),
    /** The field that shows why the server refused the last request. */
    refused,
    tunnels: { options, isLoading: tunnels.isPending },
    /** Whether it is known which records exist already. */
    isReady: !groups.isPending && !addresses.isPending,
    isBusy: state.phase === "creating" || state.phase === "undoing",
    /** Whether records exist, or may exist, without the whole. */
    isHalf: state.phase === "stopped" && (state.made.length > 0 || state.uncertain !== null),
    /** Returns the first field with a mistake; without one the plan is carried out. */
    send: (): Field | undefined => {
      setTried(true);
      const first = fields.find(({ name }) => mistakes[name] !== undefined);
      if (!first) void publication.create(api, plan, changed);
      return first;
    },
    undo: () => publication.undo(api, changed),
    discard: () => {
      setTried(false);
      setTouched(new Set());
      publication.discard();
    },
  };
}

/** The first known value; later ones do not replace it. */
function useFirst(value: string | undefined): string | undefined {
  const [first, setFirst] = useState(value);
  if (first === undefined && value !== undefined) setFirst(value);
  return first ?? value;
}
