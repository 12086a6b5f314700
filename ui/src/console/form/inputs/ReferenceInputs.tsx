// Selects other records by name: one from a list, or several with checkboxes.
import { useEffect, useRef, useState, type ComponentProps } from "react";
import { Check } from "../../../parts/Check";
import { Field, Group, Input } from "../../../parts/Field";
import { Select } from "../../../parts/Select";
import { PlaceLink } from "../../PlaceLink";
import type { ReferenceField } from "../field";
import type { InputProps } from "../FieldInput";
import { POLL_INTERVAL_MS, useReferences, type Candidate, type ReferencedKind } from "../references";
import styles from "./inputs.module.css";
import { unnamed } from "../../../model/ids";

export function ReferenceInput({ field, value, mistake, onChange }: InputProps<ReferenceField, string>) {
  const { label, help, of: kinds, none, required, preselect = false } = field;
  const { candidates, loading, failed } = useReferences(kinds, POLL_INTERVAL_MS);
  const only = preselect && !loading && candidates.length === 1 ? candidates[0]?.id : undefined;
  const chosen = useRef(value !== "");
  useEffect(() => {
    if (only === undefined || chosen.current) return;
    chosen.current = true;
    onChange(only);
  }, [only, onChange]);
  const isUnreadable = failed && candidates.length === 0;
  const unreadable = isUnreadable ? "This API key cannot read the list; enter an ID." : "";
  return (
    <>
      <Field label={label} mistake={mistake} hint={[help, unreadable].filter(Boolean).join(" ")}>
        {isUnreadable ? (
          <Input value={value} spellCheck={false} onChange={(event) => onChange(event.target.value.trim())} />
        ) : (
          <CandidateSelect
            kinds={kinds}
            candidates={candidates}
            value={value}
            none={none}
            placeholder={loading ? "Loading…" : "Choose…"}
            required={required}
            busy={loading}
            onChange={onChange}
          />
        )}
      </Field>
      {required && !loading && !failed && candidates.length === 0 && (
        <p className={styles.none}>
          <NoneYet kind={kinds[0]} />
        </p>
      )}
    </>
  );
}

interface CandidateSelectProps extends Omit<ComponentProps<typeof Select>, "options"> {
  kinds: readonly ReferencedKind[];
  candidates: readonly Candidate[];
  /** The label of an option for none. */
  none?: string | undefined;
}

/** A list of records, grouped by kind where there are several. */
export function CandidateSelect({ kinds, candidates, none, ...rest }: CandidateSelectProps) {
  const { value } = rest;
  const isUnknown = value !== "" && !candidates.some(({ id }) => id === value);
  const groups = kinds.map(({ path, singular }) => ({
    label: singular,
    options: candidates
      .filter(({ kind }) => kind.path === path)
      .map(({ id, title, detail }) => ({ value: id, label: detail === "" ? title : `${title} (${detail})` })),
  }));
  return (
    <Select
      {...rest}
      options={[
        ...(none === undefined ? [] : [{ value: "", label: none }]),
        ...(isUnknown ? [{ value, label: unnamed(value) }] : []),
        ...(kinds.length === 1
          ? groups.flatMap(({ options }) => options)
          : groups.filter(({ options }) => options.length > 0)),
      ]}
    />
  );
}

function NoneYet({ kind }: { kind: ReferencedKind | undefined }) {
  return <>There is none yet. {kind && <PlaceLink to={`${kind.path}/new`}>Create one first</PlaceLink>}</>;
}

/** Above this number of records there is a search field. */
const MAX_UNFILTERED = 8;

export function ReferencesInput({
  field,
  value,
  mistake,
  onChange,
}: InputProps<ReferenceField, readonly string[]>) {
  const { label, help, of: kinds, gone = "It has been deleted." } = field;
  const { candidates, loading, failed } = useReferences(kinds, POLL_INTERVAL_MS);
  const [filter, setFilter] = useState("");
  const lost = loading ? [] : value.filter((id) => !candidates.some((one) => one.id === id));
  const all = [
    ...lost.map((id) => ({ id, title: unnamed(id), note: failed ? "" : gone })),
    ...candidates.map(({ id, title }) => ({ id, title, note: "" })),
  ];
  const words = filter.trim().toLowerCase();
  const shown = all.filter(
    ({ id, title }) => value.includes(id) || `${title} ${id}`.toLowerCase().includes(words),
  );
  return (
    <Group label={label} mistake={mistake} hint={help}>
      {all.length > MAX_UNFILTERED && (
        <Input
          className={styles.filter}
          type="search"
          aria-label={`Filter ${label}`}
          placeholder="Filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      <div className={styles.checklist} data-wrong={mistake !== null}>
        {shown.map(({ id, title, note }) => (
          <Check
            key={id}
            label={title}
            hint={
              <>
                <code className={styles.id} title={id}>
                  …{id.slice(-4)}
                </code>
                {note && <span className={styles.lost}>{note}</span>}
              </>
            }
            checked={value.includes(id)}
            onChange={(checked) => onChange(checked ? [...value, id] : value.filter((other) => other !== id))}
          />
        ))}
        {shown.length === 0 && (
          <p className={styles.none}>
            {loading ? (
              "Loading…"
            ) : failed ? (
              "The list could not be loaded."
            ) : all.length > 0 ? (
              "Nothing matches."
            ) : (
              <NoneYet kind={kinds[0]} />
            )}
          </p>
        )}
      </div>
    </Group>
  );
}
