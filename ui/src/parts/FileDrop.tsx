// An area on which files can be dropped. What it offers can also be done with a button.
import { useState, type DragEvent, type ReactNode } from "react";
import styles from "./FileDrop.module.css";

interface FileDropProps {
  /** What happens to the files, shown while they are over the area. */
  hint: string;
  className?: string | undefined;
  onFiles(files: readonly File[]): void;
  children: ReactNode;
}

export function FileDrop({ hint, className, onFiles, children }: FileDropProps) {
  const [isOver, setOver] = useState(false);
  return (
    <div
      className={`${styles.area} ${className ?? ""}`}
      onDragOver={(event) => {
        if (!take(event)) return;
        event.dataTransfer.dropEffect = "copy";
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        if (take(event)) onFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
      {isOver && <p className={styles.hint}>{hint}</p>}
    </div>
  );
}

/** False for what is no file, such as marked text. */
function take(event: DragEvent): boolean {
  if (!event.dataTransfer.types.includes("Files")) return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}
