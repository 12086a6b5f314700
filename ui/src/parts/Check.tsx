// A checkbox with its label and its hint.
import { Checkbox } from "@base-ui/react/checkbox";
import { Field } from "@base-ui/react/field";
import type { ReactNode } from "react";
import { Icon } from "./Icon";
import styles from "./Field.module.css";

interface CheckProps {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  onChange(checked: boolean): void;
}

export function Check({ label, hint, checked, onChange }: CheckProps) {
  return (
    <Field.Root className={styles.check}>
      <Checkbox.Root
        nativeButton
        render={(props) => <button {...props} type="button" />}
        className={styles.box}
        checked={checked}
        onCheckedChange={onChange}
      >
        <Checkbox.Indicator className={styles.mark}>
          <Icon name="check" size={12} />
        </Checkbox.Indicator>
      </Checkbox.Root>
      <div className={styles.words}>
        <Field.Label className={styles.name}>{label}</Field.Label>
        {hint && <Field.Description className={styles.hint}>{hint}</Field.Description>}
      </div>
    </Field.Root>
  );
}
