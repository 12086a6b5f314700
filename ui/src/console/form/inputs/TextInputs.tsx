// Text: a line, several lines, a masked secret, a document from a file.
import { useRef, useState, type ComponentProps } from "react";
import { size } from "../../../model/format";
import { Button, IconButton } from "../../../parts/Button";
import { Field, Input, TextArea } from "../../../parts/Field";
import type { TextField } from "../field";
import type { InputProps } from "../FieldInput";
import { byteLength } from "../values";
import styles from "./inputs.module.css";

/** The share of a limit from which it is shown. */
const NEAR = 0.8;

export function TextInput({ field, value, mistake, onChange }: InputProps<TextField, string>) {
  const { label, help, placeholder, required, rows = 1, mono, maxBytes, means } = field;
  const bytes = byteLength(value);
  const isNearLimit = maxBytes !== undefined && bytes > maxBytes * NEAR;
  const count = isNearLimit ? `${size(bytes)} of ${size(maxBytes)}` : "";
  const meaning = mistake === null && value !== "" ? means?.(value) : null;
  const inputProps = {
    className: mono ? styles.mono : undefined,
    value,
    placeholder,
    "aria-required": required,
    autoComplete: "off",
    spellCheck: false,
  };
  return (
    <Field label={label} mistake={mistake} hint={[help, count].filter(Boolean).join(" ")}>
      {field.kind === "secret" ? (
        <SecretLine label={label} inputProps={inputProps} onChange={onChange} />
      ) : rows > 1 ? (
        <TextArea {...inputProps} rows={rows} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <Input {...inputProps} onChange={(event) => onChange(event.target.value)} />
      )}
      {meaning && <p className={styles.meaning}>{meaning}</p>}
    </Field>
  );
}

interface SecretLineProps {
  label: string;
  inputProps: Pick<ComponentProps<"input">, "value" | "aria-label" | "aria-required" | "aria-invalid">;
  /** Within a row of inputs, where the button has no text. */
  inRow?: boolean;
  onChange(value: string): void;
}

/** A masked line with a button that reveals it. */
export function SecretLine({ label, inputProps, inRow = false, onChange }: SecretLineProps) {
  const [revealed, setRevealed] = useState(false);
  const reveal = {
    icon: "eye",
    "aria-pressed": revealed,
    "aria-label": `Reveal ${label.toLowerCase()}`,
    onClick: () => setRevealed(!revealed),
  } as const;
  return (
    <span className={styles.row}>
      <Input
        {...inputProps}
        type={revealed ? "text" : "password"}
        autoComplete="new-password"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
      {inRow ? <IconButton {...reveal} label={reveal["aria-label"]} /> : <Button {...reveal}>Reveal</Button>}
    </span>
  );
}

export function DocumentInput({ field, value, mistake, onChange }: InputProps<TextField, string>) {
  const { label, help, required, maxLength } = field;
  const file = useRef<HTMLInputElement>(null);
  const read = (chosen: File) =>
    // Reads one byte beyond the limit, so that the validation reports the excess.
    void chosen
      .slice(0, maxLength === undefined ? undefined : maxLength + 1)
      .text()
      .then(onChange);
  return (
    <Field label={label} mistake={mistake} hint={help}>
      <TextArea
        rows={8}
        value={value}
        aria-required={required}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
      <span className={styles.row}>
        <input
          ref={file}
          type="file"
          className="unseen"
          tabIndex={-1}
          aria-label={`File with the ${label.toLowerCase()}`}
          accept=".xml,application/xml,text/xml"
          onChange={(event) => {
            const chosen = event.target.files?.[0];
            if (chosen) read(chosen);
            event.target.value = "";
          }}
        />
        <Button icon="open" onClick={() => file.current?.click()}>
          Choose a file…
        </Button>
        <span className={styles.unit}>
          {size(byteLength(value))}
          {maxLength !== undefined && ` of ${size(maxLength)}`}
        </span>
      </span>
    </Field>
  );
}
