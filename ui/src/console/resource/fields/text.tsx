// Text of one or more lines, with its limit counted as in the API: in bytes.
import { useState } from "react";
import { Button } from "../../../parts/Button";
import { Field as Labelled } from "../../../parts/Field";
import { memberOf, byteLength, type Field, type InputProps } from "../field";
import styles from "../form.module.css";

interface TextOptions {
  name: string;
  label: string;
  help?: string;
  placeholder?: string;
  /** In bytes. */
  limit?: number;
  /** More than one makes it a multi-line text. */
  rows?: number;
  required?: boolean;
  createOnly?: boolean;
  secret?: boolean;
  mono?: boolean;
  initial?: string;
  /** The error that the API would report for a non-empty value. */
  check?(value: string): string | null;
  /** How the API will interpret the value, where that differs from the input. */
  preview?(value: string): string | null;
  read?(record: object): string;
  shown?: Field["shown"];
}

interface TextField extends Field<string> {
  options: TextOptions;
}

export function text(options: TextOptions): Field {
  const { name, label, help, createOnly, secret, shown } = options;
  const field: TextField = {
    name,
    label,
    ...(help ? { help } : {}),
    ...(createOnly ? { createOnly } : {}),
    ...(secret ? { secret } : {}),
    ...(shown ? { shown } : {}),
    options,
    read: (record) => options.read?.(record) ?? asText(memberOf(record, name)),
    initial: () => options.initial ?? "",
    write: (value) => (value === "" ? undefined : value),
    check: (value) => judge(options, value),
    Input: TextInput,
  };
  return field;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : value === null || value === undefined ? "" : String(value);
}

function judge({ required, limit, check, label }: TextOptions, value: string): string | null {
  if (value === "") return required ? `${label} is required.` : null;
  const length = byteLength(value);
  if (limit !== undefined && length > limit)
    return `${length} bytes; at most ${limit} are allowed. Characters beyond ASCII count as 2 to 4 bytes.`;
  return check?.(value) ?? null;
}

function TextInput({ field, value, onChange, mistake }: InputProps<string>) {
  const { options } = field as TextField;
  const [revealed, setRevealed] = useState(false);
  const { limit, rows = 1, placeholder, secret, mono, preview, required } = options;
  const count = limit !== undefined && value !== "" ? `${byteLength(value)} of ${limit} bytes` : null;
  const meaning = mistake === null && value !== "" ? (preview?.(value) ?? null) : null;
  const hint = [field.help, count].filter(Boolean).join(" ");
  return (
    <Labelled label={field.label} mistake={mistake} {...(hint ? { hint } : {})}>
      {(inputProps) => (
        <>
          {rows > 1 ? (
            <textarea
              {...inputProps}
              rows={rows}
              value={value}
              placeholder={placeholder}
              aria-required={required}
              spellCheck={false}
              onChange={(event) => onChange(event.target.value)}
            />
          ) : (
            <span className={styles.withButton}>
              <input
                {...inputProps}
                className={`${inputProps.className} ${mono ? styles.mono : ""}`}
                type={secret && !revealed ? "password" : "text"}
                value={value}
                placeholder={placeholder}
                aria-required={required}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => onChange(event.target.value)}
              />
              {secret && (
                <Button icon="eye" aria-pressed={revealed} onClick={() => setRevealed(!revealed)}>
                  Reveal
                </Button>
              )}
            </span>
          )}
          {meaning && <p className={styles.meaning}>{meaning}</p>}
        </>
      )}
    </Labelled>
  );
}

/** The two texts of every kind. */
export const description = (help = "Its purpose, for people."): Field =>
  text({ name: "description", label: "Description", help, limit: 255 });

export const metadata = (): Field =>
  text({ name: "metadata", label: "Metadata", help: "Any text, for programs.", limit: 4096, rows: 2 });
