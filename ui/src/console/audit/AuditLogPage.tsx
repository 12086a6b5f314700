// The list of audit events with its filters, which are in the address.
import { useState } from "react";
import { Button } from "../../parts/Button";
import { Select } from "../../parts/Select";
import { useAddressSearch, type Search } from "../address";
import { botUsers, users } from "../kinds/users";
import { allQuery, useApiQuery } from "../management";
import { Empty } from "../resource/ListPage";
import { PageFrame } from "../resource/PageFrame";
import { ResourceTable } from "../resource/ResourceTable";
import styles from "./audit.module.css";
import { auditEvents, KINDS, OPERATIONS } from "./auditEvents";

/** Filters in the address; days are in the reader's time zone. */
const NAMES = ["actor_id", "kind", "operation", "object_id", "from", "to"] as const;

export default function AuditLogPage() {
  const [search, change] = useAddressSearch();
  const authors = useAuthors();
  const isFiltered = NAMES.some((name) => search[name]);
  const set = (name: (typeof NAMES)[number], value: string) =>
    change({ [name]: value || undefined, after: undefined, page: undefined });
  const clear = () =>
    change(Object.fromEntries([...NAMES, "after", "page"].map((name) => [name, undefined])));
  return (
    <PageFrame title={auditEvents.plural} about={auditEvents.about}>
      <div className={styles.filters} role="group" aria-label="Filters">
        <Select
          label="By"
          className={styles.choice}
          value={search["actor_id"] ?? ""}
          options={authors}
          onChange={(id) => set("actor_id", id)}
        />
        <Select
          label="Kind of record"
          className={styles.choice}
          value={search["kind"] ?? ""}
          options={KIND_OPTIONS}
          onChange={(kind) => set("kind", kind)}
        />
        <Select
          label="Change"
          className={styles.choice}
          value={search["operation"] ?? ""}
          options={OPERATION_OPTIONS}
          onChange={(operation) => set("operation", operation)}
        />
        <Day label="From" value={search["from"] ?? ""} onChange={(day) => set("from", day)} />
        <Day label="To" value={search["to"] ?? ""} onChange={(day) => set("to", day)} />
        <RecordBox
          key={search["object_id"] ?? ""}
          value={search["object_id"] ?? ""}
          onChange={(id) => set("object_id", id)}
        />
        {isFiltered && (
          <Button weight="quiet" onClick={clear}>
            Clear the filters
          </Button>
        )}
      </div>
      <ResourceTable
        kind={auditEvents}
        filter={filterOf(search)}
        empty={
          isFiltered ? (
            <p className={styles.none} role="status">
              No change passes these filters.
            </p>
          ) : (
            <Empty kind={auditEvents} action={null} />
          )
        }
      />
    </PageFrame>
  );
}

const OPERATION_OPTIONS = [
  { value: "", label: "Any change" },
  ...Object.entries(OPERATIONS).map(([value, label]) => ({
    value,
    label: label.charAt(0).toUpperCase() + label.slice(1),
  })),
];

const KIND_OPTIONS = [
  { value: "", label: "Any kind of record" },
  ...Object.entries(KINDS)
    .map(([value, label]) => ({ value, label: label.charAt(0).toUpperCase() + label.slice(1) }))
    .toSorted((one, other) => one.label.localeCompare(other.label)),
];

/** The users and bot users that may have changed something. */
function useAuthors() {
  const people = useApiQuery(allQuery(users)).data?.records ?? [];
  const bots = useApiQuery(allQuery(botUsers)).data?.records ?? [];
  return [
    { value: "", label: "By anyone" },
    ...[...people, ...bots].map(({ id, name }) => ({ value: id, label: name })),
  ];
}

/** The parameters of the API; whole days. */
function filterOf({ actor_id, kind, operation, object_id, from, to }: Search): Record<string, string> {
  const since = from ? startOf(from, 0) : "";
  const until = to ? startOf(to, 1) : "";
  const given = { actor_id, kind, operation, object_id, since, until };
  return Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => !!entry[1]));
}

/** The start of a day, or of one some days later; empty for what is no day. */
function startOf(day: string, later: number): string {
  const start = new Date(`${day}T00:00:00`);
  if (Number.isNaN(start.getTime())) return "";
  start.setDate(start.getDate() + later);
  return start.toISOString();
}

function Day({ label, value, onChange }: { label: string; value: string; onChange(day: string): void }) {
  return (
    <label className={styles.day}>
      {label}
      <input type="date" value={value} onChange={(event) => onChange(event.target.value)} />
    </label>
  );
}

/** An id, used when it is entered whole. */
function RecordBox({ value, onChange }: { value: string; onChange(id: string): void }) {
  const [typed, setTyped] = useState(value);
  const use = (text: string) => {
    setTyped(text);
    const id = text.trim();
    if (id === "" || /^[a-z]+_[0-9A-Za-z]{27}$/.test(id)) onChange(id);
  };
  return (
    <input
      className={styles.record}
      type="search"
      aria-label="ID of a record"
      placeholder="ID of a record"
      value={typed}
      spellCheck={false}
      onChange={(event) => use(event.target.value)}
    />
  );
}
