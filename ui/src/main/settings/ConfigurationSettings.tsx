// The agent's configuration as text: validated while it is edited, saved when it is valid, secrets kept out of the page.
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import { Notice, ProblemText } from "../../parts/Notice";
import { Prose } from "../../parts/Prose";
import styles from "../Settings.module.css";
import { useConfiguration } from "./useConfiguration";

export function ConfigurationSettings() {
  const { read, text, setText, mistakes, problem, busy, isChanged, reload, save } = useConfiguration();
  return (
    <section className={styles.section} aria-labelledby="configuration-title">
      <h2 id="configuration-title" className={styles.title}>
        Agent configuration
      </h2>
      {read && (
        <>
          <p className={styles.note}>
            <code>{read.path}</code>
            {read.kept_secrets > 0 &&
              `. Secrets stay with the agent: keep the placeholders, or replace them with new values.`}
          </p>
          <textarea
            className={styles.editor}
            aria-label="Agent configuration"
            aria-invalid={mistakes.length > 0 || undefined}
            aria-describedby={mistakes.length > 0 ? "configuration-wrong" : undefined}
            spellCheck={false}
            autoComplete="off"
            wrap="off"
            rows={14}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </>
      )}
      {isChanged && mistakes.length > 0 && (
        <Notice tone="bad" title={mistakes.length === 1 ? "One error" : `${mistakes.length} errors`}>
          <ul id="configuration-wrong" className={styles.mistakes}>
            {mistakes.map((one, index) => (
              <li key={index}>
                {one.line > 0 && <strong>Line {one.line}</strong>} {one.key && <code>{one.key}</code>}{" "}
                <Prose text={one.message} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {problem && (
        <Notice tone="bad" title="The configuration could not be loaded or saved" alert>
          <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
        </Notice>
      )}
      <div className={styles.buttons}>
        <Button
          weight="primary"
          icon="check"
          busy={busy}
          aria-disabled={!isChanged || mistakes.length > 0 || undefined}
          onClick={() => {
            if (isChanged && mistakes.length === 0) void save();
          }}
        >
          Save
        </Button>
        <Button icon="refresh" onClick={reload}>
          {isChanged ? "Discard and reload" : "Reload"}
        </Button>
      </div>
    </section>
  );
}
