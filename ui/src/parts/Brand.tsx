// The logo and the name of the window; the first heading of a page without a title of its own.
import styles from "./Brand.module.css";

const ARCH = "M120 408V236a124 124 0 0 1 248 0V408";
const ARROW = "M208 300H428M360 232l68 68-68 68";

export function Brand({ name, as: Tag = "h1" }: { name?: string; as?: "h1" | "p" }) {
  return (
    <Tag className={styles.brand}>
      <svg width="22" height="22" viewBox="16 16 480 480" aria-hidden="true" focusable="false">
        <rect x="16" y="16" width="480" height="480" rx="112" fill="#166066" />
        <path d={`${ARCH}Z`} fill="#08262f" />
        <g fill="none" strokeLinecap="round" strokeLinejoin="round" strokeWidth="44">
          <path d={ARCH} stroke="#f4fbfa" />
          <path d={ARROW} stroke="#0d3b4a" strokeWidth="92" />
          <path d={ARROW} stroke="#ffb347" />
        </g>
      </svg>
      Postern{name && <span className={styles.name}>{name}</span>}
    </Tag>
  );
}
