// Text inputs: a line, a masked secret, a document from a file, a list with one entry per line.
import { useRef, useState } from "react";
import { Button } from "../../../parts/Button";
import { Field as Labelled } from "../../../parts/Field";
import { size } from "../../../model/format";
import type { ListField, TextField } from "../descriptor";
import type { InputProps } from "./FieldInput";
import styles from "./inputs.module.css";

const hint = (words: string | undefined) => (words ? { hint: words } : {});

export function TextInput({ field, value, mistake, onChange }: InputProps<TextField, string>) {
  return (
    <Labelled label={field.label} mistake={mistake} {...hint(field.help)}>
      {(inputProps) => (
        <input
          {...inputProps}
          value={value}
          placeholder={field.placeholder}
          aria-required={field.required}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Labelled>
  );
}

export function SecretInput({ field, value, mistake, onChange }: InputProps<TextField, string>) {
  const [revealed, setRevealed] = useState(false);
  return (
    <Labelled label={field.label} mistake={mistake} {...hint(field.help)}>
      {(inputProps) => (
        <span className={styles.row}>
          <input
            {...inputProps}
            type={revealed ? "text" : "password"}
            value={value}
            aria-required={field.required}
            autoComplete="new-password"
            spellCheck={false}
            onChange={(event) => onChange(event.target.value)}
          />
          <Button
            icon="eye"
            aria-pressed={revealed}
            aria-label={`Reveal ${field.label.toLowerCase()}`}
            onClick={() => setRevealed(!revealed)}
          >
            Reveal
          </Button>
        </span>
      )}
    </Labelled>
  );
}

export function DocumentInput({ field, value, mistake, onChange }: InputProps<TextField, string>) {
  const file = useRef<HTMLInputElement>(null);
  return (
    <Labelled label={field.label} mistake={mistake} {...hint(field.help)}>
      {(inputProps) => (
        <>
          <textarea
            {...inputProps}
            rows={8}
            value={value}
            aria-required={field.required}
            spellCheck={false}
            onChange={(event) => onChange(event.target.value)}
          />
          <span className={styles.row}>
            <input
              ref={file}
              type="file"
              className="unseen"
              tabIndex={-1}
              aria-label={`File with the ${field.label.toLowerCase()}`}
              accept=".xml,application/xml,text/xml"
              onChange={(event) => {
                const chosen = event.target.files?.[0];
                // Reads one byte beyond the limit, so that the validation reports the excess.
                if (chosen)
                  void chosen
                    .slice(0, field.longest + 1)
                    .text()
                    .then(onChange);
                event.target.value = "";
              }}
            />
            <Button icon="open" onClick={() => file.current?.click()}>
              Choose a file…
            </Button>
            <span className={styles.unit}>{size(new Blob([value]).size)} of 128 KB</span>
          </span>
        </>
      )}
    </Labelled>
  );
}

export function ListInput({ field, value, mistake, onChange }: InputProps<ListField, readonly string[]>) {
  // The text is kept as typed, including empty lines and spaces.
  const [typed, setTyped] = useState(value.join("\n"));
  const same = entries(typed).join("\n") === value.join("\n");
  const text = same ? typed : value.join("\n");
  return (
    <Labelled
      label={field.label}
      mistake={mistake}
      hint={["One per line.", field.help].filter(Boolean).join(" ")}
    >
      {(inputProps) => (
        <textarea
          {...inputProps}
          rows={Math.min(8, Math.max(2, value.length + 1))}
          value={text}
          placeholder={field.placeholder}
          spellCheck={false}
          onChange={(event) => {
            setTyped(event.target.value);
            onChange(entries(event.target.value));
          }}
        />
      )}
    </Labelled>
  );
}

/** The non-empty lines. */
export function entries(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
