// A list of options with a search field, for more options than can be looked through.
import { Combobox } from "@base-ui/react/combobox";
import { useMemo, useState } from "react";
import { counted } from "../model/format";
import { containsWords, searchWords } from "../model/words";
import { Icon } from "./Icon";
import styles from "./SearchSelect.module.css";
import type { SelectOption } from "./Select";

/** So many options are drawn at once. */
const MAX_SHOWN = 100;

interface SearchSelectProps {
  /** Its accessible name. */
  label: string;
  value: string;
  options: readonly SelectOption[];
  className?: string | undefined;
  onChange(value: string): void;
}

export function SearchSelect({ label, value, options, className, onChange }: SearchSelectProps) {
  const [words, setWords] = useState("");
  const selected = options.find((option) => option.value === value) ?? null;
  const matching = useMemo(() => matchingOptions(options, words, value), [options, words, value]);
  const shown = useMemo(() => matching.slice(0, MAX_SHOWN), [matching]);
  return (
    <Combobox.Root<SelectOption>
      items={options}
      filteredItems={shown}
      value={selected}
      isItemEqualToValue={(one, other) => one.value === other.value}
      onValueChange={(next) => next !== null && onChange(next.value)}
      inputValue={words}
      onInputValueChange={setWords}
      autoHighlight
      modal={false}
    >
      <Combobox.Trigger
        className={`${styles.trigger} ${className ?? ""}`}
        aria-label={label}
        data-empty={selected === null}
      >
        <span className={styles.value}>{selected?.label}</span>
        <Combobox.Icon className={styles.icon}>
          <Icon name="chevron" size={12} />
        </Combobox.Icon>
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner className={styles.positioner} align="start" sideOffset={4} collisionPadding={8}>
          <Combobox.Popup className={styles.popup} aria-label={label}>
            <div className={styles.head}>
              <div className={styles.search}>
                <Icon name="search" />
                <Combobox.Input aria-label={`Search: ${label}`} placeholder="Search" spellCheck={false} />
              </div>
            </div>
            <Combobox.List className={styles.list}>
              {(option: SelectOption) => (
                <Combobox.Item key={option.value} value={option} className={styles.item}>
                  <Combobox.ItemIndicator className={styles.mark}>
                    <Icon name="check" size={14} />
                  </Combobox.ItemIndicator>
                  <span className={styles.text}>{option.label}</span>
                </Combobox.Item>
              )}
            </Combobox.List>
            <Combobox.Status className={styles.status}>{statusText(matching.length)}</Combobox.Status>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

/** The options that contain every word, the selected one first. */
export function matchingOptions(
  options: readonly SelectOption[],
  words: string,
  selected: string,
): SelectOption[] {
  const wanted = searchWords(words);
  const rank = ({ value }: SelectOption) => (value === selected ? 0 : 1);
  return options
    .filter(({ label }) => containsWords(label, wanted))
    .toSorted((one, other) => rank(one) - rank(other));
}

function statusText(matching: number): string {
  if (matching === 0) return "Nothing matches.";
  if (matching <= MAX_SHOWN) return counted(matching, "option");
  return `The first ${MAX_SHOWN} of ${counted(matching, "option")}: search to see others.`;
}
