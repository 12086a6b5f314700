// Headers as rows of inputs; secret values stay masked until the user reveals them.
import { useState } from "react";
import { isSecret } from "../model/secrets";
import type { Header } from "../model/httpMessage";
import { Button, IconButton } from "../parts/Button";
import styles from "./HeaderFields.module.css";

interface HeaderFieldsProps {
  headers: readonly Header[];
  onChange(headers: Header[]): void;
}

export function HeaderFields({ headers, onChange }: HeaderFieldsProps) {
  const [shown, setShown] = useState<ReadonlySet<number>>(new Set());
  const change = (index: number, part: Partial<Header>) =>
    onChange(headers.map((header, other) => (other === index ? { ...header, ...part } : header)));
  const reveal = (index: number) => {
    const next = new Set(shown);
    if (!next.delete(index)) next.add(index);
    setShown(next);
  };
  return (
    <fieldset className={styles.headers}>
      <legend>Headers</legend>
      {headers.map(({ name, value }, index) => {
        const secret = isSecret(name);
        const visible = !secret || shown.has(index);
        const called = name || `header ${index + 1}`;
        return (
          // oxlint-disable-next-line react/no-array-index-key -- names repeat while they are edited
          <div key={index} className={styles.row}>
            <input
              aria-label={`Name of ${called}`}
              spellCheck={false}
              value={name}
              onChange={(event) => change(index, { name: event.target.value })}
            />
            <input
              aria-label={`Value of ${called}`}
              type={visible ? "text" : "password"}
              autoComplete="off"
              spellCheck={false}
              value={value}
              onChange={(event) => change(index, { value: event.target.value })}
            />
            {secret && (
              <IconButton
                label={visible ? `Hide ${called}` : `Reveal ${called}`}
                icon={visible ? "lock" : "eye"}
                onClick={() => reveal(index)}
              />
            )}
            <IconButton
              label={`Remove ${called}`}
              icon="close"
              onClick={() => {
                setShown(new Set());
                onChange(headers.filter((_, other) => other !== index));
              }}
            />
          </div>
        );
      })}
      <Button weight="quiet" icon="add" onClick={() => onChange([...headers, { name: "", value: "" }])}>
        Add header
      </Button>
    </fieldset>
  );
}
