// Texts for files, each to copy or save.
import { Button } from "../../../parts/Button";
import { useCopy } from "../../../services";
import styles from "../certificates.module.css";
import type { InstructionText } from "./instructions";

export function Instructions({ pastes }: { pastes: readonly InstructionText[] }) {
  const copy = useCopy();
  return pastes.map(({ title, file, text }) => (
    <section key={title} className={styles.paste} aria-label={title}>
      <header className={styles.pasteHeader}>
        <div>
          <h3 className={styles.pasteTitle}>{title}</h3>
          <p className={styles.quiet}>
            <code>{file}</code>
          </p>
        </div>
        <span className={styles.buttons}>
          <Button icon="copy" aria-label={`Copy ${file}`} onClick={() => void copy(text, "The text")}>
            Copy
          </Button>
          {file.endsWith(".pub") && (
            <Button
              icon="import"
              aria-label={`Save ${nameOf(file)}`}
              onClick={() => save(nameOf(file), text)}
            >
              Save
            </Button>
          )}
        </span>
      </header>
      <pre tabIndex={0} role="region" aria-label={file}>
        {text}
      </pre>
    </section>
  ));
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has read the URL by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
