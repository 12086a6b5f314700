// Backends that combine others: with weights shown as shares, or in failover order.
import { useEffect, useRef, type ReactNode } from "react";
import { Button, IconButton } from "../../../parts/Button";
import { Group, Input } from "../../../parts/Field";
import { RefLink } from "../../resource/cells";
import type { CombinationField, Row } from "../field";
import type { InputProps } from "../FieldInput";
import { POLL_INTERVAL_MS, useReferences, type References } from "../references";
import styles from "./inputs.module.css";
import { CandidateSelect } from "./ReferenceInputs";
import { unnamed } from "../../../model/ids";

/** The share of visitors that a weight results in. */
export function share(weight: number, all: readonly number[]): string {
  const sum = all.reduce((before, one) => before + one, 0);
  const percent = sum === 0 ? 0 : (weight / sum) * 100;
  if (percent === 0) return "no visitors";
  return `${percent < 1 ? percent.toFixed(2) : percent.toFixed(1).replace(/\.0$/, "")}%`;
}

export function WeightsInput({
  field,
  value,
  mistake,
  onChange,
}: InputProps<CombinationField, readonly Row[]>) {
  const references = useReferences(field.of, POLL_INTERVAL_MS);
  const weights = value.map(({ weight }) => Number(weight) || 0);
  const list = useRef<HTMLUListElement>(null);
  const added = useRef<string | null>(null);
  // The weight of a backend that was added is typed at once.
  useEffect(() => {
    const id = added.current;
    if (id === null) return;
    added.current = null;
    list.current?.querySelector<HTMLInputElement>(`[data-weight-of="${CSS.escape(id)}"]`)?.select();
  });
  return (
    <Group label={field.label} mistake={mistake} hint={field.help}>
      {value.length > 0 && (
        <div className={styles.headings} aria-hidden="true">
          <span>Backend</span>
          <span className={styles.weight}>Weight</span>
          <span className={styles.share}>Share</span>
          <span className={styles.spacer} />
        </div>
      )}
      <ul ref={list} className={styles.rows}>
        {value.map(({ id = "", weight = "" }, at) => (
          <BackendRow
            key={id}
            id={id}
            references={references}
            onRemove={() => onChange(value.filter((other) => other["id"] !== id))}
          >
            {(title) => (
              <>
                <Input
                  className={styles.weight}
                  aria-label={`Weight of ${title}`}
                  data-weight-of={id}
                  inputMode="numeric"
                  value={weight}
                  onChange={(event) =>
                    onChange(
                      value.map((other) =>
                        other["id"] === id ? { id, weight: event.target.value.trim() } : other,
                      ),
                    )
                  }
                />
                <span className={styles.share}>{share(weights[at] ?? 0, weights)}</span>
              </>
            )}
          </BackendRow>
        ))}
      </ul>
      <AddBackend
        field={field}
        references={references}
        taken={value.map(({ id = "" }) => id)}
        onAdd={(id) => {
          added.current = id;
          onChange([...value, { id, weight: "100" }]);
        }}
      />
    </Group>
  );
}

export function OrderInput({
  field,
  value,
  mistake,
  onChange,
}: InputProps<CombinationField, readonly string[]>) {
  const references = useReferences(field.of, POLL_INTERVAL_MS);
  const move = (from: number, to: number) => {
    const next = value.filter((_, at) => at !== from);
    const moved = value[from];
    if (moved !== undefined && to >= 0 && to < value.length) onChange(next.toSpliced(to, 0, moved));
  };
  return (
    <Group label={field.label} mistake={mistake} hint={field.help}>
      <ol className={styles.rows}>
        {value.map((id, at) => (
          <BackendRow
            key={id}
            id={id}
            number={at + 1}
            references={references}
            onRemove={() => onChange(value.filter((other) => other !== id))}
          >
            {(title) => (
              <>
                <IconButton
                  icon="up"
                  label={`Move ${title} up`}
                  aria-disabled={at === 0 || undefined}
                  onClick={() => move(at, at - 1)}
                />
                <IconButton
                  icon="chevron"
                  label={`Move ${title} down`}
                  aria-disabled={at === value.length - 1 || undefined}
                  onClick={() => move(at, at + 1)}
                />
              </>
            )}
          </BackendRow>
        ))}
      </ol>
      <AddBackend
        field={field}
        references={references}
        taken={value}
        onAdd={(id) => onChange([...value, id])}
      />
    </Group>
  );
}

interface BackendRowProps {
  id: string;
  number?: number;
  references: References;
  onRemove(): void;
  children: (title: string) => ReactNode;
}

function BackendRow({ id, number, references, onRemove, children }: BackendRowProps) {
  const title = references.candidates.find((one) => one.id === id)?.title ?? unnamed(id);
  return (
    <li className={styles.row}>
      {number !== undefined && <span className={styles.place}>{number}.</span>}
      <span className={styles.backend}>
        <RefLink id={id}>{title}</RefLink>
      </span>
      {children(title)}
      <IconButton icon="trash" label={`Remove ${title}`} onClick={onRemove} />
    </li>
  );
}

/** Up to this number of backends each is a button; more are a list. */
const MAX_BUTTONS = 6;

interface AddBackendProps {
  field: CombinationField;
  references: References;
  taken: readonly string[];
  onAdd(id: string): void;
}

function AddBackend({ field, references: { candidates, loading }, taken, onAdd }: AddBackendProps) {
  if (!loading && candidates.length === 0)
    return <p className={styles.none}>There is no other backend yet. Create one first.</p>;
  const others = candidates.filter(({ id }) => !taken.includes(id));
  if (!loading && candidates.length <= MAX_BUTTONS)
    return (
      <div className={styles.candidates}>
        {others.map(({ id, title }) => (
          <Button key={id} icon="add" aria-label={`Add ${title}`} onClick={() => onAdd(id)}>
            {title}
          </Button>
        ))}
      </div>
    );
  return (
    <CandidateSelect
      label="Add backend"
      kinds={field.of}
      candidates={others}
      value=""
      placeholder={loading ? "Loading…" : "Add backend…"}
      onChange={onAdd}
    />
  );
}
