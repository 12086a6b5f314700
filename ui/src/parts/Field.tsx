// A labelled input with its hint and its error, and several inputs under one label.
import { Field as Base } from "@base-ui/react/field";
import { Fieldset } from "@base-ui/react/fieldset";
import { useId, type ComponentProps, type ReactNode } from "react";
import { Icon } from "./Icon";
import styles from "./Field.module.css";
import { Prose } from "./Prose";

interface FieldProps {
  label: string;
  hint?: string | undefined;
  mistake?: string | null;
  /** One Input, TextArea or Select. */
  children: ReactNode;
}

export function Field({ label, hint, mistake, children }: FieldProps) {
  return (
    <Base.Root className={styles.field} invalid={Boolean(mistake)}>
      <Base.Label className={styles.label}>{label}</Base.Label>
      {children}
      <Base.Error className={styles.mistake} match={Boolean(mistake)}>
        <Icon name="cross" size={14} />
        {mistake && <MistakeText text={mistake} />}
      </Base.Error>
      {hint && (
        <Base.Description className={styles.hint}>
          <Prose text={hint} />
        </Base.Description>
      )}
    </Base.Root>
  );
}

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return (
    <Base.Control
      className={`${styles.input} ${className ?? ""}`}
      value={rest.value}
      render={<input {...rest} />}
    />
  );
}

export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return (
    <Base.Control
      className={`${styles.input} ${className ?? ""}`}
      value={rest.value}
      render={<textarea {...rest} />}
    />
  );
}

/** Several inputs under one label, with their hint and their error. */
export function Group({ label, hint, mistake, children }: FieldProps) {
  const id = useId();
  const described = [hint ? `${id}-hint` : "", mistake ? `${id}-mistake` : ""].filter(Boolean).join(" ");
  return (
    <Fieldset.Root className={styles.group} aria-describedby={described || undefined}>
      <Fieldset.Legend className={styles.label}>{label}</Fieldset.Legend>
      {children}
      {mistake && (
        <p id={`${id}-mistake`} className={styles.mistake}>
          <Icon name="cross" size={14} />
          <MistakeText text={mistake} />
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          <Prose text={hint} />
        </p>
      )}
    </Fieldset.Root>
  );
}

/** One element beside the icon, whatever the text consists of. */
function MistakeText({ text }: { text: string }) {
  return (
    <span>
      <Prose text={text} />
    </span>
  );
}
