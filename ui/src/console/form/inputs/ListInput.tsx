// Several texts, one per line.
import { useState } from "react";
import { Field, TextArea } from "../../../parts/Field";
import { Icon } from "../../../parts/Icon";
import { useServer } from "../../edges/useServer";
import type { ListField } from "../field";
import type { InputProps } from "../FieldInput";
import { linesOf } from "../values";
import styles from "./inputs.module.css";

type ListInputProps = InputProps<ListField, readonly string[]>;

export function ListInput(props: ListInputProps) {
  const { describe } = props.field;
  return describe ? <DescribedInput {...props} describe={describe} /> : <Lines {...props} />;
}

function DescribedInput({
  describe,
  ...props
}: ListInputProps & { describe: NonNullable<ListField["describe"]> }) {
  const { data: server } = useServer();
  return <Lines {...props} field={{ ...props.field, ...describe(server) }} />;
}

function Lines({ field, value, mistake, onChange }: ListInputProps) {
  const { label, help, placeholder, required, emptyWarning } = field;
  // The text is kept as typed, including empty lines and spaces.
  const [typed, setTyped] = useState(value.join("\n"));
  const isTyped = linesOf(typed).join("\n") === value.join("\n");
  return (
    <>
      <Field label={label} mistake={mistake} hint={["One per line.", help].filter(Boolean).join(" ")}>
        <TextArea
          rows={Math.min(8, Math.max(2, value.length + 1))}
          value={isTyped ? typed : value.join("\n")}
          placeholder={placeholder}
          aria-required={required}
          spellCheck={false}
          onChange={(event) => {
            setTyped(event.target.value);
            onChange(linesOf(event.target.value));
          }}
        />
      </Field>
      {emptyWarning && value.length === 0 && (
        <p className={styles.warning} role="status">
          <Icon name="alert" size={14} />
          {emptyWarning}
        </p>
      )}
    </>
  );
}
