// Selects other records by name: one from a list, or several with checkboxes.
import { useId, useState, type ComponentProps } from "react";
import { Field, Group } from "../../../parts/Field";
import { PlaceLink } from "../../PlaceLink";
import type { ReferenceField } from "../field";
import type { InputProps } from "../FieldInput";
import { POLL_INTERVAL_MS, useReferences, type Candidate, type ReferencedKind } from "../references";
import styles from "./inputs.module.css";

export function ReferenceInput({ field, value, mistake, onChange }: InputProps<ReferenceField, string>) {
  const { label, help, of: kinds, none, required } = field;
  const { candidates, loading, failed } = useReferences(kinds, POLL_INTERVAL_MS);
  const isUnreadable = failed && candidates.length === 0;
  const unreadable = isUnreadable ? "This API key cannot read the list; enter an ID." : "";
  return (
    <>
      <Field label={label} mistake={mistake} hint={[help, unreadable].filter(Boolean).join(" ")}>
        {(inputProps) =>
          isUnreadable ? (
            <input
              {...inputProps}
              value={value}
              spellCheck={false}
              onChange={(event) => onChange(event.target.value.trim())}
            />
          ) : (
            <CandidateSelect
              {...inputProps}
              kinds={kinds}
              candidates={candidates}
              value={value}
              empty={loading ? "Loading…" : (none ?? "Choose…")}
              aria-required={required}
              onChoose={onChange}
            />
          )
        }
      </Field>
      {required && !loading && !failed && candidates.length === 0 && (
        <p className={styles.none}>
          <NoneYet kind={kinds[0]} />
        </p>
      )}
    </>
  );
}

interface CandidateSelectProps extends Omit<ComponentProps<"select">, "value"> {
  kinds: readonly ReferencedKind[];
  candidates: readonly Candidate[];
  value: string;
  /** The text of the option for none. */
  empty: string;
  onChoose(id: string): void;
}

/** A list of records, grouped by kind where there are several. */
export function CandidateSelect({
  kinds,
  candidates,
  value,
  empty,
  onChoose,
  ...rest
}: CandidateSelectProps) {
  const isUnknown = value !== "" && !candidates.some(({ id }) => id === value);
  const optionsOf = (own: ReferencedKind) =>
    candidates
      .filter(({ kind }) => kind === own)
      .map(({ id, title, detail }) => (
        <option key={id} value={id}>
          {detail === "" ? title : `${title} (${detail})`}
        </option>
      ));
  return (
    <select {...rest} value={value} onChange={(event) => onChoose(event.target.value)}>
      <option value="">{empty}</option>
      {isUnknown && <option value={value}>{value}</option>}
      {kinds.length === 1
        ? kinds.map(optionsOf)
        : kinds
            .map((kind) => ({ kind, options: optionsOf(kind) }))
            .filter(({ options }) => options.length > 0)
            .map(({ kind, options }) => (
              <optgroup key={kind.path} label={kind.singular}>
                {options}
              </optgroup>
            ))}
    </select>
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
    ...lost.map((id) => ({ id, title: id, note: failed ? "" : gone })),
    ...candidates.map(({ id, title }) => ({ id, title, note: "" })),
  ];
  const words = filter.trim().toLowerCase();
  const shown = all.filter(
    ({ id, title }) => value.includes(id) || `${title} ${id}`.toLowerCase().includes(words),
  );
  return (
    <Group label={label} mistake={mistake} hint={help}>
      {all.length > MAX_UNFILTERED && (
        <input
          className={`${styles.input} ${styles.filter}`}
          type="search"
          aria-label={`Filter ${label}`}
          placeholder="Filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      <div className={styles.checklist} data-wrong={mistake !== null}>
        {shown.map((one) => (
          <CandidateCheck
            key={one.id}
            {...one}
            checked={value.includes(one.id)}
            onChange={(checked) =>
              onChange(checked ? [...value, one.id] : value.filter((id) => id !== one.id))
            }
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

interface CandidateCheckProps {
  id: string;
  title: string;
  note: string;
  checked: boolean;
  onChange(checked: boolean): void;
}

function CandidateCheck({ id, title, note, checked, onChange }: CandidateCheckProps) {
  const own = useId();
  return (
    <label className={styles.candidate} htmlFor={own}>
      <input
        type="checkbox"
        id={own}
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className={styles.words}>
        <span>{title}</span>
        {title !== id && <code className={styles.id}>{id}</code>}
        {note && <span className={styles.lost}>{note}</span>}
      </span>
    </label>
  );
}
