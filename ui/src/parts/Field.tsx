// A labelled input with its hint and its error, associated for assistive technology.
import { useId, type ReactNode } from "react";
import { Icon } from "./Icon";
import styles from "./Field.module.css";

interface InputAttributes {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
  className: string | undefined;
}

interface FieldProps {
  label: string;
  hint?: string | undefined;
  mistake?: string | null;
  children: (inputProps: InputAttributes) => ReactNode;
}

export function Field({ label, hint, mistake, children }: FieldProps) {
  const id = useId();
  const described = [hint ? `${id}-hint` : "", mistake ? `${id}-mistake` : ""].filter(Boolean).join(" ");
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {children({
        id,
        "aria-describedby": described || undefined,
        "aria-invalid": mistake ? true : undefined,
        className: styles.input,
      })}
      {mistake && (
        <p id={`${id}-mistake`} className={styles.mistake}>
          <Icon name="cross" size={14} />
          {mistake}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Several inputs under one label, with their hint and their error. */
export function Group({
  label,
  hint,
  mistake,
  children,
}: {
  label: string;
  hint?: string | undefined;
  mistake?: string | null;
  children: ReactNode;
}) {
  const id = useId();
  const described = [hint ? `${id}-hint` : "", mistake ? `${id}-mistake` : ""].filter(Boolean).join(" ");
  return (
    <fieldset className={styles.choice} aria-describedby={described || undefined}>
      <legend className={styles.label}>{label}</legend>
      {children}
      {mistake && (
        <p id={`${id}-mistake`} className={styles.mistake}>
          <Icon name="cross" size={14} />
          {mistake}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </fieldset>
  );
}

export function Check({
  label,
  hint,
  checked,
  onChange,
}: {
  label: string;
  hint?: string | undefined;
  checked: boolean;
  onChange(checked: boolean): void;
}) {
  const id = useId();
  return (
    <div className={styles.check}>
      <input
        type="checkbox"
        id={id}
        checked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-hint`} className={styles.hint}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

interface ChoiceProps<T extends string> {
  legend: string;
  hint?: string | undefined;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange(value: T): void;
}

export function Choice<T extends string>({ legend, hint, value, options, onChange }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className={styles.choice} aria-describedby={hint ? `${name}-hint` : undefined}>
      <legend className={styles.label}>{legend}</legend>
      <div className={styles.options}>
        {options.map((option) => (
          <label key={option.value} className={styles.option}>
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
      {hint && (
        <p id={`${name}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </fieldset>
  );
}
