// A state as an icon and a word; the colour is additional.
import type { Tone } from "./Notice";
import { Icon, type IconName } from "./Icon";
import styles from "./State.module.css";

export function State({
  tone,
  icon,
  children,
  busy = false,
}: {
  tone: Tone | "idle";
  icon: IconName;
  children: string;
  busy?: boolean;
}) {
  return (
    <span className={`${styles.state} ${styles[tone]} ${busy ? styles.busy : ""}`}>
      <Icon name={icon} size={14} />
      {children}
    </span>
  );
}
