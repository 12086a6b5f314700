// Headers to add: names and values, with the variables that a value may contain.
import { useId, useRef } from "react";
import { Button, IconButton } from "../../../parts/Button";
import { Icon } from "../../../parts/Icon";
import type { HeadersField, Pair } from "../descriptor";
import { VARIABLES } from "../headers";
import type { InputProps } from "./FieldInput";
import styles from "./inputs.module.css";

export function HeadersInput({ field, value, mistake, onChange }: InputProps<HeadersField, readonly Pair[]>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const change = (at: number, part: Partial<Pair>) =>
    onChange(value.map((pair, place) => (place === at ? { ...pair, ...part } : pair)));
  const focusRow = (at: number) =>
    requestAnimationFrame(() => {
      const inputs = list.current?.querySelectorAll<HTMLInputElement>("input[data-name]");
      (inputs?.[at] ?? list.current?.querySelector<HTMLElement>("button[data-add]"))?.focus();
    });
  return (
    <fieldset className={styles.fieldset} aria-describedby={`${id}-help`}>
      <legend className={styles.label}>{field.label}</legend>
      <div ref={list} className={styles.headers}>
        {value.map((pair, at) => (
          // Rows have no identity other than their position.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={at} className={styles.header} role="group" aria-label={`Header ${at + 1}`}>
            <input
              data-name
              className={styles.input}
              aria-label="Name"
              aria-invalid={mistake !== null && field.wrong(pair) !== null ? true : undefined}
              placeholder="x-request-id"
              value={pair.name}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change(at, { name: event.target.value })}
            />
            <input
              className={styles.input}
              aria-label="Value"
              placeholder="${req.id}"
              value={pair.value}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change(at, { value: event.target.value })}
            />
            <IconButton
              icon="trash"
              label={`Remove ${pair.name || "this header"}`}
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
            onChange([...value, { name: "", value: "" }]);
            focusRow(value.length);
          }}
        >
          Add a header
        </Button>
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
      <details className={styles.variables}>
        <summary>Variables</summary>
        <dl>
          {VARIABLES.map(([name, sentence]) => (
            <div key={name}>
              <dt>
                <code>{`\${${name}}`}</code>
              </dt>
              <dd>{sentence}</dd>
            </div>
          ))}
        </dl>
      </details>
    </fieldset>
  );
}
