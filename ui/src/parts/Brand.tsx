// The mark and the name of the window; the first heading of every page.
import styles from "./Brand.module.css";

export function Brand({ name }: { name?: string }) {
  return (
    <h1 className={styles.brand}>
      <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <rect width="32" height="32" rx="7" fill="#0f6b5c" />
        <path
          d="M8 26V14a8 8 0 0 1 16 0v12"
          fill="none"
          stroke="#fff"
          strokeWidth="3"
          strokeLinecap="round"
        />
        <path d="M13 26V15.5a3 3 0 0 1 6 0V26" fill="#fff" />
      </svg>
      Postern{name && <span className={styles.name}>{name}</span>}
    </h1>
  );
}
