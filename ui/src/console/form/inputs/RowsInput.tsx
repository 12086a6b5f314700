// Rows of inputs, such as headers with their values.
import { useRef } from "react";
import { Button, IconButton } from "../../../parts/Button";
import { Group, Input } from "../../../parts/Field";
import type { Column, Row, RowsField } from "../field";
import type { InputProps } from "../FieldInput";
import styles from "./inputs.module.css";
import { SecretLine } from "./TextInputs";

export function RowsInput({ field, value, mistake, onChange }: InputProps<RowsField, readonly Row[]>) {
  const list = useRef<HTMLDivElement>(null);
  const { label, help, columns, add, check, variables } = field;
  const focusRow = (at: number) =>
    requestAnimationFrame(() => {
      const row = list.current?.querySelector<HTMLInputElement>(`[data-row="${at}"] input`);
      (row ?? list.current?.querySelector<HTMLElement>("button[data-add]"))?.focus();
    });
  const empty = Object.fromEntries(columns.map(({ name }) => [name, ""]));
  return (
    <Group label={label} mistake={mistake} hint={help}>
      <div ref={list} className={styles.rows}>
        {value.length > 0 && columns.length > 1 && (
          <div className={styles.headings} aria-hidden="true">
            {columns.map((column) => (
              <span key={column.name}>{column.label}</span>
            ))}
            <span className={styles.spacer} />
          </div>
        )}
        {value.map((row, at) => (
          // Rows have no identity other than their position.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={at} className={styles.row} data-row={at}>
            {columns.map((column) => (
              <Cell
                key={column.name}
                column={column}
                label={`${column.label} ${at + 1}`}
                value={row[column.name] ?? ""}
                isWrong={mistake !== null && (check?.(row) ?? null) !== null}
                onChange={(text) =>
                  onChange(
                    value.map((other, place) => (place === at ? { ...row, [column.name]: text } : other)),
                  )
                }
              />
            ))}
            <IconButton
              icon="trash"
              label={`Remove row ${at + 1}`}
              onClick={() => {
                onChange(value.filter((_, place) => place !== at));
                focusRow(Math.max(0, at - 1));
              }}
            />
          </div>
        ))}
        <Button
          data-add
          icon="add"
          className={styles.start ?? ""}
          onClick={() => {
            onChange([...value, empty]);
            focusRow(value.length);
          }}
        >
          {add}
        </Button>
      </div>
      {variables && <Variables variables={variables} />}
    </Group>
  );
}

interface CellProps {
  column: Column;
  label: string;
  value: string;
  isWrong: boolean;
  onChange(text: string): void;
}

function Cell({ column: { placeholder, secret }, label, value, isWrong, onChange }: CellProps) {
  const inputProps = {
    "aria-label": label,
    "aria-invalid": isWrong || undefined,
    placeholder,
    value,
    autoComplete: "off",
    spellCheck: false,
  };
  return secret ? (
    <SecretLine inRow label={label} inputProps={inputProps} onChange={onChange} />
  ) : (
    <Input {...inputProps} onChange={(event) => onChange(event.target.value)} />
  );
}

function Variables({ variables }: { variables: NonNullable<RowsField["variables"]> }) {
  return (
    <details className={styles.variables}>
      <summary>Variables</summary>
      <dl>
        {variables.map(([name, meaning]) => (
          <div key={name}>
            <dt>
              <code>{`\${${name}}`}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
