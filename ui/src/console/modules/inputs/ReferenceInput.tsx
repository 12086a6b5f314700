// Selects records of another kind by name or id.
import { useId, useState } from "react";
import type { Base, CollectionPath } from "../../../api/management";
import { Field as Labelled } from "../../../parts/Field";
import { Icon } from "../../../parts/Icon";
import { apiQuery, useApiQuery } from "../../management";
import { PlaceLink } from "../../PlaceLink";
import type { ReferenceField } from "../descriptor";
import type { InputProps } from "./FieldInput";
import styles from "./inputs.module.css";

interface Source {
  path: CollectionPath;
  /** Label of the kind, where there are several. */
  kind: string;
}

const SOURCES: Readonly<
  Record<ReferenceField["of"], { sources: readonly Source[]; make: string; singular: string }>
> = {
  ip_policies: {
    sources: [{ path: "/ip_policies", kind: "IP policy" }],
    make: "/ip_policies/new",
    singular: "an IP policy",
  },
  certificate_authorities: {
    sources: [{ path: "/certificate_authorities", kind: "Certificate authority" }],
    make: "/certificate_authorities/new",
    singular: "a certificate authority",
  },
  backends: {
    sources: [
      { path: "/backends/tunnel_group", kind: "Tunnel group" },
      { path: "/backends/weighted", kind: "Weighted" },
      { path: "/backends/failover", kind: "Failover" },
      { path: "/backends/http_response", kind: "HTTP response" },
      { path: "/backends/static", kind: "Static address" },
    ],
    make: "/backends/tunnel_group/new",
    singular: "a backend",
  },
};

export interface ReferenceOption {
  id: string;
  name: string;
  kind: string;
  detail: string;
}

/** The members by which one record or another is named. */
interface NamedRecord extends Base {
  labels?: Readonly<Record<string, string>>;
  address?: string;
  subject_common_name?: string;
}

/** The display name of a record in a list of choices. */
function referenceOption(record: NamedRecord, kind: string): ReferenceOption {
  const { labels = {}, address, subject_common_name: subject } = record;
  const labelled = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(", ");
  const detail = labelled || (address ?? subject ?? "");
  return { id: record.id, name: record.description || detail || record.id, kind, detail };
}

/** Polling interval in milliseconds while the form is open: new records appear automatically. */
const POLL_INTERVAL_MS = 4_000;

/** All records of the allowed kinds; undefined while loading. */
export function useReferenceOptions(
  of: ReferenceField["of"],
  choosing = false,
): readonly ReferenceOption[] | undefined {
  const { sources } = SOURCES[of];
  // The first collection is the first part of the key, so that its changes invalidate the query.
  const { data } = useApiQuery(
    apiQuery<ReferenceOption[]>(
      [sources[0]?.path ?? "", "choice"],
      async (api) => {
        const pages = await Promise.all(
          sources.map(async ({ path, kind }) =>
            (await api.all<NamedRecord>({ path })).records.map((record) => referenceOption(record, kind)),
          ),
        );
        return pages.flat();
      },
      choosing ? { every: POLL_INTERVAL_MS } : {},
    ),
  );
  return data;
}

export function ReferenceInput({ field, value, mistake, onChange }: InputProps<ReferenceField, string>) {
  const records = useReferenceOptions(field.of, true);
  const { sources, make, singular } = SOURCES[field.of];
  const missing = value !== "" && records && !records.some(({ id }) => id === value);
  return (
    <>
      <Labelled label={field.label} mistake={mistake} {...(field.help ? { hint: field.help } : {})}>
        {(inputProps) => (
          <select
            {...inputProps}
            value={value}
            aria-required={field.required}
            onChange={(event) => onChange(event.target.value)}
          >
            <option value="">{records ? `Choose ${singular}` : "Loading…"}</option>
            {missing && <option value={value}>{value}</option>}
            {sources.map(({ kind }) => {
              const own = (records ?? []).filter((record) => record.kind === kind);
              return (
                own.length > 0 && (
                  <optgroup key={kind} label={kind}>
                    {own.map(({ id, name, detail }) => (
                      <option key={id} value={id}>
                        {detail && detail !== name ? `${name} (${detail})` : name}
                      </option>
                    ))}
                  </optgroup>
                )
              );
            })}
          </select>
        )}
      </Labelled>
      {records?.length === 0 && (
        <p className={styles.help}>
          There is none yet. <PlaceLink to={make}>Create {singular}</PlaceLink> first.
        </p>
      )}
    </>
  );
}

/** Above this number of records there is a search field. */
const SEARCH_FROM = 8;

export function ReferencesInput({
  field,
  value,
  mistake,
  onChange,
}: InputProps<ReferenceField, readonly string[]>) {
  const id = useId();
  const records = useReferenceOptions(field.of, true);
  const [search, setSearch] = useState("");
  const { make, singular } = SOURCES[field.of];
  const deleted = value.filter((chosen) => records && !records.some((record) => record.id === chosen));
  const all: readonly ReferenceOption[] = [
    ...deleted.map((chosen) => ({ id: chosen, name: "deleted", kind: "", detail: "" })),
    ...(records ?? []),
  ];
  const words = search.trim().toLowerCase();
  const shown = all.filter(
    (record) => value.includes(record.id) || `${record.name} ${record.id}`.toLowerCase().includes(words),
  );
  return (
    <fieldset className={styles.fieldset} aria-describedby={`${id}-help`}>
      <legend className={styles.label}>{field.label}</legend>
      {all.length > SEARCH_FROM && (
        <input
          className={styles.input}
          aria-label={`Find ${field.label.toLowerCase()}`}
          placeholder="Name or id"
          value={search}
          autoComplete="off"
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <div className={styles.chosen} data-wrong={mistake !== null}>
        {records === undefined && <p className={styles.none}>Loading…</p>}
        {records?.length === 0 && deleted.length === 0 && (
          <p className={styles.none}>
            There is none yet. <PlaceLink to={make}>Create {singular}</PlaceLink> first.
          </p>
        )}
        {shown.map((record) => (
          <label key={record.id} className={styles.option}>
            <input
              type="checkbox"
              checked={value.includes(record.id)}
              onChange={(event) =>
                onChange(
                  event.target.checked
                    ? [...value, record.id]
                    : value.filter((chosen) => chosen !== record.id),
                )
              }
            />
            <span className={styles.name}>{record.name}</span>
            {record.name !== record.id && <code>{record.id}</code>}
          </label>
        ))}
        {records && all.length > 0 && shown.length === 0 && <p className={styles.none}>No match.</p>}
      </div>
      {mistake && (
        <p className={styles.mistake}>
          <Icon name="cross" size={14} />
          {mistake}
        </p>
      )}
      <p id={`${id}-help`} className={styles.help}>
        {field.help}
      </p>
    </fieldset>
  );
}
