// A search field over the page with its results below, selected with the arrow keys and Enter or with a click.
import { Dialog as Base } from "@base-ui/react/dialog";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
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
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const items = groups.flatMap((group) => group.items);
  const [at, setAt] = useState({ words, index: 0 });
  // A new search starts at the first item again.
  const index = at.words === words ? Math.min(at.index, Math.max(0, items.length - 1)) : 0;
  const active = items[index];

  const activeId = active && `${id}-${index}`;
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);

  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const step = steps[event.key];
    if (event.key === "Enter" && active) {
      event.preventDefault();
      onChoose(active.id);
    } else if (step !== undefined && items.length > 0) {
      event.preventDefault();
      const next = Math.abs(step) === 1 ? (index + step + items.length) % items.length : index + step;
      setAt({ words, index: Math.max(0, Math.min(items.length - 1, next)) });
    }
  };
  return (
    <Base.Root open onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup className={styles.popup} aria-label={label} initialFocus={input}>
          <div className={styles.field}>
            <Icon name="search" />
            <input
              ref={input}
              role="combobox"
              aria-label={label}
              aria-expanded={items.length > 0}
              aria-controls={`${id}-list`}
              aria-autocomplete="list"
              aria-activedescendant={activeId}
              placeholder={placeholder}
              spellCheck={false}
              autoComplete="off"
              value={words}
              onChange={(event) => onWords(event.target.value)}
              onKeyDown={move}
            />
            <kbd className={styles.key}>Esc</kbd>
          </div>
          <div id={`${id}-list`} role="listbox" aria-label={label} className={styles.list}>
            {groups.map((group) => (
              <div key={group.label} role="group" aria-label={group.label}>
                <p className={styles.group} aria-hidden="true">
                  {group.label}
                </p>
                {group.items.map((item) => {
                  const own = items.indexOf(item);
                  return (
                    <div
                      key={item.id}
                      id={`${id}-${own}`}
                      role="option"
                      tabIndex={-1}
                      aria-selected={own === index}
                      className={styles.item}
                      onPointerMove={() => own !== index && setAt({ words, index: own })}
                      onClick={() => onChoose(item.id)}
                      onKeyDown={move}
                    >
                      <Icon name={item.icon} />
                      <span className={styles.title}>{item.title}</span>
                      <span className={styles.note}>{item.note}</span>
                    </div>
                  );
                })}
              </div>
            ))}
          </div>
          <p className={styles.status} role="status">
            {status}
          </p>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
