// Steps through content that is too long for one page.
import { IconButton } from "./Button";
import styles from "./Pager.module.css";

interface PagerProps {
  /** What the pages belong to, for the names of the buttons. */
  what: string;
  page: number;
  pages: number;
  /** Describes the range of a page. */
  shown: string;
  onPage(page: number): void;
}

export function Pager({ what, page, pages, shown, onPage }: PagerProps) {
  if (pages <= 1) return null;
  return (
    <nav className={styles.pager} aria-label={`Pages of ${what}`}>
      <IconButton label="Previous page" icon="back" disabled={page === 0} onClick={() => onPage(page - 1)} />
      <span aria-live="polite">{shown}</span>
      <IconButton
        label="Next page"
        icon="arrow"
        disabled={page >= pages - 1}
        onClick={() => onPage(page + 1)}
      />
      <label className={styles.go}>
        <span>Page</span>
        <input
          type="number"
          min={1}
          max={pages}
          value={page + 1}
          onChange={({ target }) => {
            const number = Math.floor(target.valueAsNumber) - 1;
            if (number >= 0 && number < pages) onPage(number);
          }}
        />
        <span>of {pages.toLocaleString("en")}</span>
      </label>
    </nav>
  );
}
