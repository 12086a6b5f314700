// The first run: pick a listening port of this machine, or enter an address, and publish it.
import { useState, type FormEvent } from "react";
import type { ListeningPort, Problem } from "../api/types";
import { asProblem } from "../api/problem";
import { adviceFor } from "../model/advice";
import { formFor, tunnelNameFor, programLabel } from "../model/ports";
import { addressError, definitionOf, EMPTY_FORM, freeName } from "../model/tunnelForm";
import { Button } from "../parts/Button";
import { Field, Input } from "../parts/Field";
import { Notice, ProblemText } from "../parts/Notice";
import { useServices } from "../services";
import styles from "./FirstTunnel.module.css";
import { ListeningPortList } from "./ListeningPortList";

export function FirstTunnel({ onMore }: { onMore(): void }) {
  const { model } = useServices();
  const [addr, setAddr] = useState("");
  const [picked, setPicked] = useState<ListeningPort | null>(null);
  const [mistake, setMistake] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);

  const pick = (port: ListeningPort) => {
    setPicked(port);
    setAddr(port.target);
    setMistake(null);
    setProblem(null);
  };
  const publish = async (event: FormEvent) => {
    event.preventDefault();
    const name = freeName([], picked ? tunnelNameFor(picked) : "web");
    const form = picked ? { ...formFor(picked, name), addr } : { ...EMPTY_FORM, name, addr };
    const wrong = addressError(addr, form.kind);
    setMistake(wrong);
    setProblem(null);
    if (wrong !== null || busy) return;
    setBusy(true);
    try {
      await model.api.save(name, definitionOf(form));
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
        Pick a program that listens on this computer. It gets a public address, and every request to it
        appears here as it arrives.
      </p>
      <form onSubmit={(event) => void publish(event)} noValidate>
        <ListeningPortList picked={picked?.port ?? null} onPick={pick} />
        <Field
          label="Local port or address"
          hint={
            picked
              ? `${programLabel(picked)}${picked.proto === "tcp" ? ", published as a TCP tunnel" : ""}`
              : "For example 8080, or https://localhost:8443"
          }
          mistake={mistake}
        >
          <Input
            value={addr}
            placeholder="8080"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setAddr(event.target.value);
              setPicked(null);
            }}
          />
        </Field>
        {problem && (
          <Notice tone="bad" title="The service could not be published" alert>
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
