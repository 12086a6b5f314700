// A page of the console: its title, one sentence, its actions, its content.
import type { ReactNode } from "react";
import { Icon } from "../../parts/Icon";
import { PlaceLink } from "../PlaceLink";
import styles from "./PageFrame.module.css";

interface PageFrameProps {
  title: string;
  about?: ReactNode;
  /** The list that this page belongs to. */
  back?: { to: string; label: string };
  actions?: ReactNode;
  /** For content that benefits from the full width. */
  wide?: boolean;
  children: ReactNode;
}

export function PageFrame({ title, about, back, actions, wide = false, children }: PageFrameProps) {
  return (
    <div className={`${styles.page} ${wide ? styles.wide : ""}`}>
      <header className={styles.header}>
        <div className={styles.words}>
          {back && (
            <PlaceLink to={back.to} className={styles.back}>
              <Icon name="back" size={14} />
              {back.label}
            </PlaceLink>
          )}
          <h1 className={styles.title}>{title}</h1>
          {about && <div className={styles.about}>{about}</div>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A titled section of a page. */
export function Section({
  title,
  about,
  actions,
  children,
}: {
  title: string;
  about?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={styles.section} aria-label={title}>
      <header className={styles.sectionHeader}>
        <div>
          <h2 className={styles.sectionTitle}>{title}</h2>
          {about && <p className={styles.about}>{about}</p>}
        </div>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** Labelled facts side by side. */
export function Facts({ facts }: { facts: readonly { label: string; value: ReactNode }[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
