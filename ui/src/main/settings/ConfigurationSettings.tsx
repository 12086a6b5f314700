// The agent's configuration as text: validated while it is edited, saved when it is valid, secrets kept out of the page.
import { useCallback, useEffect, useState } from "react";
import { asProblem } from "../../api/problem";
import type { ConfigurationProblem, ConfigurationText, Problem } from "../../api/types";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import { Notice, ProblemText } from "../../parts/Notice";
import { toast } from "../../parts/toast";
import { useServices } from "../../services";
import styles from "../Settings.module.css";

/** Delay in milliseconds after the last edit before the text is checked. */
const CHECK_DELAY_MS = 400;

export function ConfigurationSettings() {
  const { model } = useServices();
  const [read, setRead] = useState<ConfigurationText | null>(null);
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState<ConfigurationProblem[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const changed = read !== null && text !== read.text;

  const take = useCallback((next: ConfigurationText) => {
    setRead(next);
    setText(next.text);
    setWrong([]);
    setProblem(null);
  }, []);
  const reload = useCallback(() => {
    model.api.configuration().then(take, (thrown: unknown) => setProblem(asProblem(thrown)));
  }, [model, take]);
  useEffect(reload, [reload]);

  const revision = read?.revision ?? "";
  useEffect(() => {
    if (!changed) return undefined;
    let over = false;
    const timer = setTimeout(() => {
      model.api.checkConfiguration(text, revision).then(
        (problems) => {
          if (over) return;
          setWrong(problems);
          setProblem(null);
        },
        (thrown: unknown) => void (over || setProblem(asProblem(thrown))),
      );
    }, CHECK_DELAY_MS);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [model, text, revision, changed]);

  const save = async () => {
    setBusy(true);
    try {
      const problems = await model.api.checkConfiguration(text, revision);
      setWrong(problems);
      if (problems.length === 0) {
        take(await model.api.saveConfiguration(text, revision));
        toast({ title: "The configuration is saved and active" });
      }
    } catch (thrown) {
      setProblem(asProblem(thrown));
    }
    setBusy(false);
  };

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
            aria-invalid={wrong.length > 0 || undefined}
            aria-describedby={wrong.length > 0 ? "configuration-wrong" : undefined}
            spellCheck={false}
            autoComplete="off"
            wrap="off"
            rows={14}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </>
      )}
      {changed && wrong.length > 0 && (
        <Notice tone="bad" title={wrong.length === 1 ? "One error" : `${wrong.length} errors`}>
          <ul id="configuration-wrong" className={styles.mistakes}>
            {wrong.map((one, index) => (
              <li key={index}>
                {one.line > 0 && <strong>Line {one.line}</strong>} {one.key && <code>{one.key}</code>}{" "}
                {one.message}
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
          aria-disabled={!changed || wrong.length > 0 || undefined}
          onClick={() => {
            if (changed && wrong.length === 0) void save();
          }}
        >
          Save
        </Button>
        <Button icon="refresh" onClick={reload}>
          {changed ? "Discard and reload" : "Reload"}
        </Button>
      </div>
    </section>
  );
}
