// An on/off switch that states its state in words.
import { Switch as Base } from "@base-ui/react/switch";
import styles from "./Switch.module.css";

interface SwitchProps {
  on: boolean;
  label: string;
  busy?: boolean;
  onChange(on: boolean): void;
}

export function Switch({ on, label, busy = false, onChange }: SwitchProps) {
  return (
    <Base.Root
      nativeButton
      render={(props) => <button {...props} type="button" />}
      className={styles.switch}
      checked={on}
      aria-label={label}
      aria-busy={busy}
      onCheckedChange={(next) => !busy && onChange(next)}
    >
      <Base.Thumb className={styles.thumb} />
    </Base.Root>
  );
}
