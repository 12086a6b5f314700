// Information for the user, with the actions to take.
import type { ReactNode } from "react";
import { Icon, type IconName } from "./Icon";
import styles from "./Notice.module.css";
import { Prose } from "./Prose";

export type Tone = "info" | "ok" | "warn" | "bad";

const ICONS: Record<Tone, IconName> = { info: "info", ok: "check", warn: "alert", bad: "cross" };

interface NoticeProps {
  tone: Tone;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  /** Announced at once; omit it for a notice that is there when the page opens. */
  alert?: boolean;
}

export function Notice({ tone, title, children, actions, alert = false }: NoticeProps) {
  return (
    <section
      className={`${styles.notice} ${styles[tone]}`}
      aria-label={title}
      role={alert ? "alert" : undefined}
    >
      <span className={styles.icon}>
        <Icon name={ICONS[tone]} size={18} />
      </span>
      <div className={styles.body}>
        <p className={styles.title}>{title}</p>
        {children}
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
    </section>
  );
}

/** A failure: what is wrong, what to do, and the code to look up or report. */
export function ProblemText({
  message,
  advice,
  code,
}: {
  message: string;
  advice: string | null;
  code: string;
}) {
  return (
    <>
      <p className={styles.sentence}>
        <Prose text={message} />
      </p>
      {advice && (
        <p className={styles.advice}>
          <Prose text={advice} />
        </p>
      )}
      {code && <p className={styles.code}>{code}</p>}
    </>
  );
}
