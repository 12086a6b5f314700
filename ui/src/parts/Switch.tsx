// An on/off switch that states its state in words.
import styles from "./Switch.module.css";

interface SwitchProps {
  on: boolean;
  label: string;
  busy?: boolean;
  onChange(on: boolean): void;
}

export function Switch({ on, label, busy = false, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      aria-label={label}
      aria-busy={busy}
      className={styles.switch}
      onClick={() => !busy && onChange(!on)}
    >
      <span className={styles.thumb} />
    </button>
  );
}
