// The login of the server's own page: an API key, kept in the memory of this page and nowhere else.
import { useRef, useState, type FormEvent } from "react";
import { asProblem, errorFromResponse } from "../../api/problem";
import type { EnteredKey } from "../../host/host";
import { adviceFor } from "../../model/advice";
import { Brand } from "../../parts/Brand";
import { Button } from "../../parts/Button";
import { Field, Input } from "../../parts/Field";
import { Notice, ProblemText } from "../../parts/Notice";
import type { Problem } from "../../api/types";
import styles from "./KeyEntry.module.css";

interface KeyEntryProps {
  entered: EnteredKey;
  /** Data read with an earlier key does not belong to the new one. */
  onEntered(): void;
}

export function KeyEntry({ entered, onEntered }: KeyEntryProps) {
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [tried, setTried] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const mistake =
    key.trim() === ""
      ? "Enter an API key."
      : /^[\x21-\x7e]+$/.test(key.trim())
        ? null
        : "A key consists of letters and digits on one line.";
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (mistake !== null) return void input.current?.focus();
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      const response = await entered.enter(key);
      if (response.status !== 200) throw errorFromResponse(response.status, response.body, "server");
      onEntered();
    } catch (thrown) {
      setProblem(asProblem(thrown));
      input.current?.focus();
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className={styles.page}>
      <form className={styles.card} noValidate onSubmit={(event) => void send(event)}>
        <Brand name="console" />
        <p>
          Enter an API key of this server. It stays in this page&rsquo;s memory until you leave or reload it.
        </p>
        {entered.refused && !problem && (
          <Notice tone="warn" title="The key is no longer valid">
            <p>It was deleted, or its owner is no longer active. Enter another one.</p>
          </Notice>
        )}
        <Field
          label="API key"
          mistake={tried ? mistake : null}
          hint="The first one is in admin.key in the server's data folder."
        >
          <Input
            ref={input}
            type="password"
            autoComplete="off"
            spellCheck={false}
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </Field>
        {problem && (
          <Notice tone="bad" title="The key was not accepted" alert>
            <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
          </Notice>
        )}
        <Button type="submit" weight="primary" icon="lock" busy={busy}>
          Open the console
        </Button>
        <p className={styles.quiet}>
          Another key is made on the server&rsquo;s machine with{" "}
          <code className={styles.code}>postern-server api-key create --admin</code>
        </p>
      </form>
    </main>
  );
}
