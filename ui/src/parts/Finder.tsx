// A search field over the page with its results below, selected with the arrow keys and Enter or with a click.
import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useRef } from "react";
import styles from "./Finder.module.css";
import { Icon, type IconName } from "./Icon";

export interface FinderItem {
  id: string;
  icon: IconName;
  title: string;
  /** The kind of the item and other details that distinguish it. */
  note: string;
}

export interface FinderGroup {
  label: string;
  items: readonly FinderItem[];
}

interface FinderProps {
  label: string;
  placeholder: string;
  words: string;
  onWords(words: string): void;
  groups: readonly FinderGroup[];
  /** The number of results, and whether there may be more. */
  status: string;
  onChoose(id: string): void;
  onClose(): void;
}

export function Finder({
  label,
  placeholder,
  words,
  onWords,
  groups,
  status,
  onChoose,
  onClose,
}: FinderProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <Dialog.Root open onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup} aria-label={label} initialFocus={input}>
          <Autocomplete.Root
            open
            inline
            items={groups.map(({ items, ...group }) => ({ ...group, items: [...items] }))}
            // The results are those of the words already.
            filter={null}
            autoHighlight="always"
            keepHighlight
            itemToStringValue={({ title }) => title}
            value={words}
            onValueChange={(next, { reason }) => reason !== "item-press" && onWords(next)}
          >
            <div className={styles.field}>
              <Icon name="search" />
              <Autocomplete.Input
                ref={input}
                aria-label={label}
                placeholder={placeholder}
                spellCheck={false}
                autoComplete="off"
              />
              <kbd className={styles.key}>Esc</kbd>
            </div>
            <Autocomplete.List className={styles.list} aria-label={label}>
              {(group: FinderGroup) => (
                <Autocomplete.Group key={group.label} items={group.items}>
                  <Autocomplete.GroupLabel className={styles.group}>{group.label}</Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: FinderItem) => (
                      <Autocomplete.Item
                        key={item.id}
                        value={item}
                        className={styles.item}
                        onClick={() => onChoose(item.id)}
                      >
                        <Icon name={item.icon} />
                        <span className={styles.title}>{item.title}</span>
                        <span className={styles.note}>{item.note}</span>
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
            <p className={styles.status} role="status">
              {status}
            </p>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
