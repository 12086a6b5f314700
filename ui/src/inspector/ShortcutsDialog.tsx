// The keyboard shortcuts of the inspector and the syntax of the filter box.
import { Dialog } from "../parts/Dialog";
import { Check } from "../parts/Check";
import styles from "./ShortcutsDialog.module.css";
import { SHORTCUTS } from "./shortcuts";

const NAMES: Record<string, string> = { ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc", Delete: "Del" };
const FILTERS = [
  ["orders", "text in method, address, host, status, tunnel, visitor, note or error"],
  ["status:5xx  status:400-499  status>=400", "by status"],
  ["method:POST  path:/api/*  host=shop.test", "contains, * matches anything; = matches exactly"],
  ['path~"/orders/[0-9]+$"', "matches a regular expression"],
  ["header.content-type:json  type:image", "by a header; also request.header.… and response.header.…"],
  ['body:"out of stock"  request.body~"…"', "searches in bodies"],
  ["dur>500ms  size>1mb  response.size=0", "slower or larger than this"],
  ["replayed:yes  pinned:yes  pending:yes", "by state; also imported, cut (truncated)"],
  ["a or not (b c)", "or, not and parentheses; adjacent terms must all match"],
] as const;

interface ShortcutsDialogProps {
  open: boolean;
  letters: boolean;
  onLetters(on: boolean): void;
  onClose(): void;
}

export function ShortcutsDialog({ open, letters, onLetters, onClose }: ShortcutsDialogProps) {
  return (
    <Dialog title="Shortcuts and filters" open={open} onClose={onClose} wide>
      <div className={styles.columns}>
        <section aria-labelledby="keys-title">
          <h3 id="keys-title" className={styles.title}>
            Keys
          </h3>
          <dl className={styles.list}>
            {Object.values(SHORTCUTS).map(({ keys, does, shift = false }) => (
              <div key={does}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{shift ? `⇧${NAMES[key] ?? key}` : (NAMES[key] ?? key)}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
            <div>
              <dt>
                <kbd>x</kbd>
              </dt>
              <dd>Toggle the bytes of a body</dd>
            </div>
            <div>
              <dt>
                <kbd>Ctrl+F</kbd>
              </dt>
              <dd>Find in the body</dd>
            </div>
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
        </section>
      </div>
      <div className={styles.switch}>
        <Check
          label="Single-letter shortcuts"
          hint="Turn this off if you use speech input or press them by accident. Arrows, Enter and Esc always work."
          checked={letters}
          onChange={onLetters}
        />
      </div>
    </Dialog>
  );
}
