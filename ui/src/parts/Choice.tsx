// Radio buttons: a choice of a few options.
import { Field } from "@base-ui/react/field";
import { Fieldset } from "@base-ui/react/fieldset";
import { Radio } from "@base-ui/react/radio";
import { RadioGroup } from "@base-ui/react/radio-group";
import { Icon } from "./Icon";
import styles from "./Field.module.css";

interface ChoiceProps<T extends string> {
  legend: string;
  /** The legend is only for assistive technology. */
  isLegendHidden?: boolean;
  hint?: string | undefined;
  mistake?: string | null;
  /** The options are below each other, with room for their notes. */
  isList?: boolean;
  value: T;
  options: readonly { value: T; label: string; note?: string }[];
  onChange(value: T): void;
}

export function Choice<T extends string>({
  legend,
  isLegendHidden = false,
  hint,
  mistake,
  isList = false,
  value,
  options,
  onChange,
}: ChoiceProps<T>) {
  return (
    <Field.Root className={styles.choice} invalid={Boolean(mistake)}>
      <Fieldset.Root render={<RadioGroup<T> value={value} onValueChange={onChange} />}>
        <Fieldset.Legend className={isLegendHidden ? "unseen" : styles.label}>{legend}</Fieldset.Legend>
        <div className={`${styles.options} ${isList ? styles.list : ""}`}>
          {options.map((option) => (
            <Field.Item key={option.value}>
              <Field.Label className={styles.option}>
                <Radio.Root
                  nativeButton
                  render={(props) => <button {...props} type="button" />}
                  className={styles.radio}
                  value={option.value}
                >
                  <Radio.Indicator className={styles.dot} />
                </Radio.Root>
                {option.note ? (
                  <span className={styles.words}>
                    {option.label}
                    <span className={styles.note}>{option.note}</span>
                  </span>
                ) : (
                  option.label
                )}
              </Field.Label>
            </Field.Item>
          ))}
        </div>
      </Fieldset.Root>
      <Field.Error className={styles.mistake} match={Boolean(mistake)}>
        <Icon name="cross" size={14} />
        {mistake}
      </Field.Error>
      {hint && <Field.Description className={styles.hint}>{hint}</Field.Description>}
    </Field.Root>
  );
}
