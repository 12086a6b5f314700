// Fields that reference other records: one or several.
import { useId, useState } from "react";
import type { Base } from "../../../api/management";
import { Field as Labelled, Group } from "../../../parts/Field";
import { PlaceLink } from "../../PlaceLink";
import { memberOf, type Field, type InputProps } from "../field";
import { useChoices, type ReferencedKind } from "./choices";
import styles from "./fields.module.css";

interface RefOptions {
  name: string;
  label: string;
  help?: string;
  kinds: readonly ReferencedKind[];
  /** The meaning of choosing none; without it one must be chosen. */
  none?: string;
  createOnly?: boolean;
  /** The currently referenced id; by default the member of the same name. */
  read?(record: object): string;
  shown?: Field["shown"];
}

interface RefField extends Field<string> {
  options: RefOptions;
}

export function ref(options: RefOptions): Field {
  const { name, label, help, createOnly, shown, none } = options;
  const field: RefField = {
    name,
    label,
    ...(help ? { help } : {}),
    ...(createOnly ? { createOnly } : {}),
    ...(shown ? { shown } : {}),
    options,
    read: (record) => options.read?.(record) ?? String(memberOf(record, name) ?? ""),
    initial: () => "",
    write: (value) => (value === "" ? undefined : value),
    check: (value) => (value === "" && none === undefined ? `Choose ${article(label)}.` : null),
    Input: RefInput,
  };
  return field;
}

function article(label: string): string {
  const word = label.charAt(0).toLowerCase() + label.slice(1);
  return /^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`;
}

function RefInput({ field, value, onChange, mistake }: InputProps<string>) {
  const { kinds, none } = (field as RefField).options;
  const { candidates, loading, failed } = useChoices(kinds);
  const unknown = value !== "" && !candidates.some(({ id }) => id === value);
  const hint = [
    field.help,
    failed && candidates.length === 0 ? "This API key cannot read the list; enter an ID." : "",
  ]
    .filter(Boolean)
    .join(" ");
  return (
    <Labelled label={field.label} mistake={mistake} {...(hint ? { hint } : {})}>
      {(inputProps) =>
        failed && candidates.length === 0 ? (
          <input
            {...inputProps}
            value={value}
            spellCheck={false}
            onChange={(event) => onChange(event.target.value.trim())}
          />
        ) : (
          <select
            {...inputProps}
            value={value}
            aria-busy={loading}
            onChange={(event) => onChange(event.target.value)}
          >
            <option value="">{loading ? "Loading…" : (none ?? `Choose…`)}</option>
            {unknown && <option value={value}>{value}</option>}
            {kinds.map((kind) => (
              <CandidateOptions
                key={kind.path}
                label={kinds.length > 1 ? kind.singular : null}
                candidates={candidates.filter(({ singular: one }) => one === kind.singular)}
              />
            ))}
          </select>
        )
      }
    </Labelled>
  );
}

function CandidateOptions({
  label,
  candidates,
}: {
  label: string | null;
  candidates: readonly { id: string; title: string }[];
}) {
  const options = candidates.map(({ id, title }) => (
    <option key={id} value={id}>
      {title === id ? id : `${title} (${id})`}
    </option>
  ));
  if (label === null) return options;
  return options.length > 0 && <optgroup label={label}>{options}</optgroup>;
}

interface RefsOptions {
  name: string;
  label: string;
  help?: string;
  kind: ReferencedKind;
  /** At least one must be chosen. */
  required?: boolean;
  most?: number;
  /** The currently referenced ids. */
  read(record: object): string[];
  /** What it means that a chosen record no longer exists. */
  gone?: string;
  shown?: Field["shown"];
}

interface RefsField extends Field<string[]> {
  options: RefsOptions;
}

export function refs(options: RefsOptions): Field {
  const { name, label, help, shown, required, most = 100 } = options;
  const field: RefsField = {
    name,
    label,
    ...(help ? { help } : {}),
    ...(shown ? { shown } : {}),
    options,
    read: (record: Base) => options.read(record),
    initial: () => [],
    write: (value) => value,
    check: (value) => {
      if (required && value.length === 0) return `Choose at least one ${options.kind.singular}.`;
      return value.length > most ? `${value.length} are chosen; at most ${most} are allowed.` : null;
    },
    Input: RefsInput,
  };
  return field;
}

function RefsInput({ field, value, onChange, mistake }: InputProps<string[]>) {
  const id = useId();
  const { kind, gone: goneText } = (field as RefsField).options;
  const { candidates, loading, failed } = useChoices([kind]);
  const [words, setWords] = useState("");
  const missing = loading ? [] : value.filter((one) => !candidates.some((candidate) => candidate.id === one));
  const all = [
    ...missing.map((one) => ({ id: one, title: one, lost: true })),
    ...candidates.map((one) => ({ ...one, lost: false })),
  ];
  const found = all.filter(
    (one) => value.includes(one.id) || `${one.title} ${one.id}`.toLowerCase().includes(words.toLowerCase()),
  );
  return (
    <Group label={field.label} mistake={mistake} {...(field.help ? { hint: field.help } : {})}>
      {all.length > 8 && (
        <input
          className={styles.filter}
          type="search"
          aria-label={`Filter ${field.label}`}
          placeholder="Filter"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      )}
      <div className={styles.checklist}>
        {found.map((one, index) => (
          <label key={one.id} className={styles.candidate} htmlFor={`${id}-${index}`}>
            <input
              type="checkbox"
              id={`${id}-${index}`}
              checked={value.includes(one.id)}
              onChange={(event) =>
                onChange(
                  event.target.checked ? [...value, one.id] : value.filter((other) => other !== one.id),
                )
              }
            />
            <span className={styles.words}>
              <span>{one.title}</span>
              {one.title !== one.id && <code className={styles.id}>{one.id}</code>}
              {one.lost && <span className={styles.lost}>{goneText ?? "It has been deleted."}</span>}
            </span>
          </label>
        ))}
        {found.length === 0 && (
          <p className={styles.nothing}>
            {loading ? (
              "Loading…"
            ) : failed ? (
              "The list could not be loaded."
            ) : all.length > 0 ? (
              "Nothing matches."
            ) : (
              <>
                There is none yet. <PlaceLink to={`${kind.path}/new`}>Create one first</PlaceLink>
              </>
            )}
          </p>
        )}
      </div>
    </Group>
  );
}
