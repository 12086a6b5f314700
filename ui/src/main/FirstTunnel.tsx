// The first run: one question, one button.
import { useState, type FormEvent } from "react";
import { adviceFor } from "../model/advice";
import { asProblem } from "../api/problem";
import type { Problem } from "../api/types";
import { addressMistake, definitionOf, EMPTY_FORM, freeName } from "../model/tunnelForm";
import { Button } from "../parts/Button";
import { Field } from "../parts/Field";
import { Notice, ProblemText } from "../parts/Notice";
import { useServices } from "../services";
import styles from "./FirstTunnel.module.css";

export function FirstTunnel({ onMore }: { onMore(): void }) {
  const { model } = useServices();
  const [addr, setAddr] = useState("");
  const [mistake, setMistake] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);

  const publish = async (event: FormEvent) => {
    event.preventDefault();
    const wrong = addressMistake(addr, "http");
    setMistake(wrong);
    setProblem(null);
    if (wrong !== null || busy) return;
    setBusy(true);
    const name = freeName([]);
    try {
      await model.api.save(name, definitionOf({ ...EMPTY_FORM, name, addr }));
      await model.api.start(name);
    } catch (thrown) {
      setProblem(asProblem(thrown));
    }
    setBusy(false);
  };

  return (
    <div className={styles.first}>
      <h3 className={styles.title}>Publish a local service</h3>
      <p className={styles.lead}>
        Anything that listens on this computer gets an https address. Requests to it appear here as they
        happen.
      </p>
      <form onSubmit={(event) => void publish(event)} noValidate>
        <Field
          label="Local port or address"
          hint="For example 8080, or https://localhost:8443"
          mistake={mistake}
        >
          {(tied) => (
            <input
              {...tied}
              value={addr}
              placeholder="8080"
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setAddr(event.target.value)}
            />
          )}
        </Field>
        {problem && (
          <Notice tone="bad" title="It could not be published" alert>
            <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
          </Notice>
        )}
        <Button weight="primary" type="submit" icon="arrow" busy={busy}>
          Publish
        </Button>
      </form>
      <p className={styles.more}>
        Something else?{" "}
        <button type="button" onClick={onMore}>
          Add a TCP tunnel or choose a name
        </button>
      </p>
    </div>
  );
}
