// Backends that combine backends: with weights shown as shares, or in failover order.
import { IconButton } from "../../../parts/Button";
import { Group } from "../../../parts/Field";
import { RefLink } from "../cells";
import { memberOf, type Field, type InputProps } from "../field";
import { useChoices, type ReferencedKind } from "./choices";
import styles from "./fields.module.css";

const MAX_WEIGHT = 10_000;
const MAX_BACKENDS = 100;

interface Weighted {
  id: string;
  /** As typed. */
  weight: string;
}

interface WeightsField extends Field<Weighted[]> {
  kinds: readonly ReferencedKind[];
}

/** A map of backends to weights. */
export function weights(options: {
  name: string;
  label: string;
  help: string;
  kinds: readonly ReferencedKind[];
}): Field {
  const { name, label, help, kinds } = options;
  const field: WeightsField = {
    name,
    label,
    help,
    kinds,
    read: (record) =>
      Object.entries((memberOf(record, name) ?? {}) as Record<string, number>).map(([id, weight]) => ({
        id,
        weight: String(weight),
      })),
    initial: () => [],
    write: (value) => {
      const map = Object.fromEntries(value.map(({ id, weight }) => [id, Number(weight)]));
      return value.length > 0 ? map : undefined;
    },
    check: (value) => {
      if (value.length > MAX_BACKENDS)
        return `${value.length} backends; at most ${MAX_BACKENDS} are allowed.`;
      const wrong = value.find(({ weight }) => !/^\d{1,5}$/.test(weight) || Number(weight) > MAX_WEIGHT);
      return wrong ? `The weight of ${wrong.id} must be a whole number from 0 to ${MAX_WEIGHT}.` : null;
    },
    Input: WeightsInput,
  };
  return field;
}

/** The share of visitors that a weight results in. */
export function share(weight: number, all: readonly number[]): string {
  const sum = all.reduce((before, one) => before + one, 0);
  if (sum === 0) return "no visitors";
  const percent = (weight / sum) * 100;
  if (percent === 0) return "no visitors";
  return `${percent < 1 ? percent.toFixed(2) : percent.toFixed(1).replace(/\.0$/, "")} %`;
}

function WeightsInput({ field, value, onChange, mistake }: InputProps<Weighted[]>) {
  const { kinds } = field as WeightsField;
  const choices = useChoices(kinds);
  const numbers = value.map(({ weight }) => Number(weight) || 0);
  const titleOf = (id: string) => choices.candidates.find((one) => one.id === id)?.title ?? id;
  return (
    <Group label={field.label} mistake={mistake} {...(field.help ? { hint: field.help } : {})}>
      <ul className={styles.rows}>
        {value.map((one, index) => (
          <li key={one.id} className={styles.row}>
            <span className={styles.backend}>
              <RefLink id={one.id}>{titleOf(one.id)}</RefLink>
            </span>
            <input
              className={styles.weight}
              aria-label={`Weight of ${titleOf(one.id)}`}
              inputMode="numeric"
              value={one.weight}
              onChange={(event) =>
                onChange(
                  value.map((other) =>
                    other === one ? { ...other, weight: event.target.value.trim() } : other,
                  ),
                )
              }
            />
            <span className={styles.share}>{share(numbers[index] ?? 0, numbers)}</span>
            <IconButton
              icon="trash"
              label={`Remove ${titleOf(one.id)}`}
              onClick={() => onChange(value.filter((other) => other !== one))}
            />
          </li>
        ))}
      </ul>
      <AddBackend
        choices={choices}
        taken={value.map(({ id }) => id)}
        onAdd={(id) => onChange([...value, { id, weight: "100" }])}
      />
    </Group>
  );
}

interface OrderField extends Field<string[]> {
  kinds: readonly ReferencedKind[];
}

/** A list of backends in failover order. */
export function order(options: {
  name: string;
  label: string;
  help: string;
  kinds: readonly ReferencedKind[];
}): Field {
  const { name, label, help, kinds } = options;
  const field: OrderField = {
    name,
    label,
    help,
    kinds,
    read: (record) => (memberOf(record, name) ?? []) as string[],
    initial: () => [],
    write: (value) => (value.length > 0 ? value : undefined),
    check: (value) =>
      value.length > MAX_BACKENDS ? `${value.length} backends; at most ${MAX_BACKENDS} are allowed.` : null,
    Input: OrderInput,
  };
  return field;
}

function OrderInput({ field, value, onChange, mistake }: InputProps<string[]>) {
  const { kinds } = field as OrderField;
  const choices = useChoices(kinds);
  const titleOf = (id: string) => choices.candidates.find((one) => one.id === id)?.title ?? id;
  const move = (from: number, by: -1 | 1) => {
    const next = [...value];
    const [moved] = next.splice(from, 1);
    if (moved !== undefined) next.splice(from + by, 0, moved);
    onChange(next);
  };
  return (
    <Group label={field.label} mistake={mistake} {...(field.help ? { hint: field.help } : {})}>
      <ol className={styles.rows}>
        {value.map((id, index) => (
          <li key={id} className={styles.row}>
            <span className={styles.place}>{index + 1}.</span>
            <span className={styles.backend}>
              <RefLink id={id}>{titleOf(id)}</RefLink>
            </span>
            <IconButton
              icon="up"
              label={`Move ${titleOf(id)} up`}
              aria-disabled={index === 0 || undefined}
              onClick={() => index > 0 && move(index, -1)}
            />
            <IconButton
              icon="chevron"
              label={`Move ${titleOf(id)} down`}
              aria-disabled={index === value.length - 1 || undefined}
              onClick={() => index < value.length - 1 && move(index, 1)}
            />
            <IconButton
              icon="trash"
              label={`Remove ${titleOf(id)}`}
              onClick={() => onChange(value.filter((other) => other !== id))}
            />
          </li>
        ))}
      </ol>
      <AddBackend choices={choices} taken={value} onAdd={(id) => onChange([...value, id])} />
    </Group>
  );
}

function AddBackend({
  choices,
  taken: used,
  onAdd,
}: {
  choices: ReturnType<typeof useChoices>;
  taken: readonly string[];
  onAdd(id: string): void;
}) {
  const free = choices.candidates.filter(({ id }) => !used.includes(id));
  if (!choices.loading && choices.candidates.length === 0)
    return <p className={styles.nothing}>There is no other backend yet. Create one first.</p>;
  return (
    <select
      className={styles.input}
      aria-label="Add a backend"
      value=""
      onChange={(event) => event.target.value !== "" && onAdd(event.target.value)}
    >
      <option value="">{choices.loading ? "Loading…" : "Add a backend…"}</option>
      {free.map(({ id, title, singular: one }) => (
        <option key={id} value={id}>
          {one}: {title === id ? id : `${title} (${id})`}
        </option>
      ))}
    </select>
  );
}
