// A list of options that opens below its value.
import { Select as Base } from "@base-ui/react/select";
import { Icon } from "./Icon";
import styles from "./Select.module.css";

export interface SelectOption {
  value: string;
  label: string;
}

export interface SelectGroup {
  label: string;
  options: readonly SelectOption[];
}

interface SelectProps {
  /** Its accessible name, where it stands in no Field. */
  label?: string;
  /** The value of an option; any other shows the placeholder. */
  value: string;
  options: readonly (SelectOption | SelectGroup)[];
  placeholder?: string;
  required?: boolean | undefined;
  busy?: boolean;
  className?: string | undefined;
  onChange(value: string): void;
}

export function Select({
  label,
  value,
  options,
  placeholder,
  required,
  busy,
  className,
  onChange,
}: SelectProps) {
  const flat = options.flatMap((one) => ("options" in one ? one.options : [one]));
  const isKnown = flat.some((option) => option.value === value);
  return (
    <Base.Root<string>
      items={flat}
      value={isKnown ? value : null}
      modal={false}
      onValueChange={(next) => next !== null && onChange(next)}
    >
      <Base.Trigger
        className={`${styles.trigger} ${className ?? ""}`}
        aria-label={label}
        aria-required={required}
        aria-busy={busy}
        data-empty={!isKnown}
      >
        {/* An empty value may be an option with a label of its own. */}
        <Base.Value className={styles.value} placeholder={isKnown ? undefined : placeholder} />
        <Base.Icon className={styles.icon}>
          <Icon name="chevron" size={12} />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner
          className={styles.positioner}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          alignItemWithTrigger={false}
        >
          <Base.Popup className={styles.popup}>
            <Base.List>
              {options.map((one) =>
                "options" in one ? (
                  <Base.Group key={one.label}>
                    <Base.GroupLabel className={styles.title}>{one.label}</Base.GroupLabel>
                    {one.options.map((option) => (
                      <Item key={option.value} option={option} />
                    ))}
                  </Base.Group>
                ) : (
                  <Item key={one.value} option={one} />
                ),
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function Item({ option: { value, label } }: { option: SelectOption }) {
  return (
    <Base.Item value={value} className={styles.item}>
      <Base.ItemIndicator className={styles.mark}>
        <Icon name="check" size={14} />
      </Base.ItemIndicator>
      <Base.ItemText className={styles.text}>{label}</Base.ItemText>
    </Base.Item>
  );
}
