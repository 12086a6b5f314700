// The keys of the inspector and what the filter box understands.
import { Dialog } from "../parts/Dialog";
import { Check } from "../parts/Field";
import styles from "./KeysDialog.module.css";
import { SHORTCUTS } from "./shortcuts";

const NAMES: Record<string, string> = { ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc" };
const FILTERS = [
  ["orders", "address, host, method, status, tunnel or visitor has this"],
  ["status:5xx  status:404  status:pending", "by the answer"],
  ["method:POST,PUT", "by the method"],
  ["tunnel:web  host:shop  path:/api", "by where it went"],
  ["dur>500ms  size>1mb", "slower or larger than this"],
  ["is:error  is:replay  is:cut", "by what became of it"],
  ["-path:/health", "a minus turns a term around"],
] as const;

interface KeysDialogProps {
  open: boolean;
  letters: boolean;
  onLetters(on: boolean): void;
  onClose(): void;
}

export function KeysDialog({ open, letters, onLetters, onClose }: KeysDialogProps) {
  return (
    <Dialog title="Keys and filters" open={open} onClose={onClose} wide>
      <div className={styles.columns}>
        <section aria-labelledby="keys-title">
          <h3 id="keys-title" className={styles.title}>
            Keys
          </h3>
          <dl className={styles.list}>
            {Object.values(SHORTCUTS).map(({ keys, does }) => (
              <div key={does}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{NAMES[key] ?? key}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section aria-labelledby="filters-title">
          <h3 id="filters-title" className={styles.title}>
            Filters
          </h3>
          <dl className={styles.filters}>
            {FILTERS.map(([terms, does]) => (
              <div key={terms}>
                <dt>
                  <code>{terms}</code>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
          <p className={styles.note}>Several terms must all match.</p>
        </section>
      </div>
      <div className={styles.switch}>
        <Check
          label="Single letters act as keys"
          hint="Switch this off if you use speech input or keep hitting them by accident. Arrows, Enter and Esc always work."
          checked={letters}
          onChange={onLetters}
        />
      </div>
    </Dialog>
  );
}
