// A dialog over the page: it traps the focus, closes with Escape and returns the focus to its origin.
import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { IconButton } from "./Button";
import styles from "./Dialog.module.css";

interface DialogProps {
  title: string;
  description?: string;
  open: boolean;
  onClose(): void;
  children: ReactNode;
  wide?: boolean;
  /** Its height does not depend on the content: what is clicked twice stays in its place. */
  steady?: boolean;
}

export function Dialog(props: DialogProps) {
  const { title, description, open, onClose, children, wide = false, steady = false } = props;
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup className={`${styles.popup} ${wide ? styles.wide : ""} ${steady ? styles.steady : ""}`}>
          <header className={styles.header}>
            <Base.Title className={styles.title}>{title}</Base.Title>
          </header>
          {description && <Base.Description className={styles.description}>{description}</Base.Description>}
          <div className={styles.content}>{children}</div>
          {/* Last in the document, so that the focus starts in the content. */}
          <IconButton className={styles.close} label="Close" icon="close" onClick={onClose} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <footer className={styles.actions}>{children}</footer>;
}
