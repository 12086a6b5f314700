// Buttons: one appearance for each weight of action. An icon button always has a name.
import type { ComponentProps } from "react";
import styles from "./Button.module.css";
import { Icon, type IconName } from "./Icon";

export type Weight = "primary" | "plain" | "quiet" | "danger";

interface ButtonStyle {
  weight?: Weight;
  icon?: IconName;
  busy?: boolean;
}

export function Button({
  weight = "plain",
  icon,
  busy = false,
  className,
  children,
  ...rest
}: ComponentProps<"button"> & ButtonStyle) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={busy || rest["aria-disabled"] || undefined}
      onClick={busy ? undefined : rest.onClick}
      className={`${styles.button} ${styles[weight]} ${busy ? styles.busy : ""} ${className ?? ""}`}
    >
      {icon && <Icon name={busy ? "refresh" : icon} />}
      {children}
    </button>
  );
}

export function IconButton({
  label,
  icon,
  className,
  ...rest
}: ComponentProps<"button"> & { label: string; icon: IconName }) {
  return (
    <button
      type="button"
      title={label}
      {...rest}
      aria-label={label}
      className={`${styles.button} ${styles.quiet} ${styles.square} ${className ?? ""}`}
    >
      <Icon name={icon} />
    </button>
  );
}
