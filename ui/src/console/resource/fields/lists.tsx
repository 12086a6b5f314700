// Several values in one field: lines of text, or pairs of names and values.
import { Button, IconButton } from "../../../parts/Button";
import { Field as Labelled, Group } from "../../../parts/Field";
import { memberOf, type Field, type InputProps } from "../field";
import styles from "./fields.module.css";

interface LinesOptions {
  name: string;
  label: string;
  help?: string;
  placeholder?: string;
  rows?: number;
  most?: number;
  required?: boolean;
  /** The error that the API would report for one line. */
  check?(line: string): string | null;
  read?(record: object): string[];
  shown?: Field["shown"];
}

interface LinesField extends Field<string> {
  options: LinesOptions;
}

/** A list of texts, one per line. */
export function lines(options: LinesOptions): Field {
  const { name, label, help, shown, most, required, check } = options;
  const field: LinesField = {
    name,
    label,
    ...(help ? { help } : {}),
    ...(shown ? { shown } : {}),
    options,
    read: (record) =>
      (options.read?.(record) ?? (memberOf(record, name) as string[] | null) ?? []).join("\n"),
    initial: () => "",
    write: (value) => {
      const list = linesOf(value);
      return list.length > 0 ? list : undefined;
    },
    check: (value) => {
      const list = linesOf(value);
      if (required && list.length === 0) return `${label}: enter at least one.`;
      if (most !== undefined && list.length > most)
        return `${list.length} lines; at most ${most} are allowed.`;
      for (const line of list) {
        const mistake = check?.(line) ?? null;
        if (mistake !== null) return list.length > 1 ? `${line}: ${mistake}` : mistake;
      }
      return null;
    },
    Input: LinesInput,
  };
  return field;
}

export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function LinesInput({ field, value, onChange, mistake }: InputProps<string>) {
  const { rows = 3, placeholder, required } = (field as LinesField).options;
  const hint = [field.help, "One per line."].filter(Boolean).join(" ");
  return (
    <Labelled label={field.label} mistake={mistake} hint={hint}>
      {(inputProps) => (
        <textarea
          {...inputProps}
          rows={Math.max(rows, Math.min(12, value.split("\n").length))}
          value={value}
          placeholder={placeholder}
          aria-required={required}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Labelled>
  );
}

export interface Pair {
  /** Identifies rows while they are edited. */
  row: number;
  name: string;
  value: string;
}

interface PairsOptions {
  name: string;
  label: string;
  help?: string;
  nameLabel: string;
  valueLabel: string;
  required?: boolean;
  most?: number;
  check?(name: string, value: string): string | null;
  shown?: Field["shown"];
}

interface PairsField extends Field<Pair[]> {
  options: PairsOptions;
}

const filledRows = (value: readonly Pair[]) =>
  value.filter((pair) => pair.name.trim() !== "" || pair.value !== "");

/** A map of texts, one row each. Rows without a name and a value are omitted. */
export function pairs(options: PairsOptions): Field {
  const { name, label, help, shown, required, most } = options;
  const field: PairsField = {
    name,
    label,
    ...(help ? { help } : {}),
    ...(shown ? { shown } : {}),
    options,
    read: (record) => {
      const map = (memberOf(record, name) ?? {}) as Record<string, string>;
      return Object.entries(map).map(([key, value], row) => ({ row, name: key, value }));
    },
    initial: () => [],
    write: (value) => {
      const map = Object.fromEntries(filledRows(value).map((pair) => [pair.name.trim(), pair.value]));
      return Object.keys(map).length > 0 ? map : undefined;
    },
    check: (value) => {
      const list = filledRows(value);
      if (required && list.length === 0) return `${label}: enter at least one.`;
      if (most !== undefined && list.length > most)
        return `${list.length} rows; at most ${most} are allowed.`;
      const names = new Set<string>();
      for (const pair of list) {
        const key = pair.name.trim();
        if (key === "") return `The value “${pair.value}” has no ${options.nameLabel.toLowerCase()}.`;
        if (names.has(key.toLowerCase())) return `${key} occurs twice.`;
        names.add(key.toLowerCase());
        const mistake = options.check?.(key, pair.value) ?? null;
        if (mistake !== null) return mistake;
      }
      return null;
    },
    Input: PairsInput,
  };
  return field;
}

function PairsInput({ field, value, onChange, mistake }: InputProps<Pair[]>) {
  const { nameLabel, valueLabel } = (field as PairsField).options;
  const change = (row: number, changes: Partial<Pair>) =>
    onChange(value.map((pair) => (pair.row === row ? { ...pair, ...changes } : pair)));
  return (
    <Group label={field.label} mistake={mistake} {...(field.help ? { hint: field.help } : {})}>
      <ul className={styles.rows}>
        {value.map((pair, index) => (
          <li key={pair.row} className={styles.row}>
            <input
              className={styles.input}
              aria-label={`${nameLabel} ${index + 1}`}
              placeholder={nameLabel}
              value={pair.name}
              spellCheck={false}
              onChange={(event) => change(pair.row, { name: event.target.value })}
            />
            <input
              className={styles.input}
              aria-label={`${valueLabel} ${index + 1}`}
              placeholder={valueLabel}
              value={pair.value}
              spellCheck={false}
              onChange={(event) => change(pair.row, { value: event.target.value })}
            />
            <IconButton
              icon="trash"
              label={`Remove row ${index + 1}`}
              onClick={() => onChange(value.filter((other) => other.row !== pair.row))}
            />
          </li>
        ))}
      </ul>
      <Button
        icon="add"
        onClick={() =>
          onChange([...value, { row: Math.max(-1, ...value.map(({ row }) => row)) + 1, name: "", value: "" }])
        }
      >
        Add {nameLabel.toLowerCase()}
      </Button>
    </Group>
  );
}
