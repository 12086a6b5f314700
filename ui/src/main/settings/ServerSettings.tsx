// The server that this computer uses: the built-in one, or another with its address, key and certificate authority.
import { useState, type FormEvent } from "react";
import { asProblem } from "../../api/problem";
import type { Problem } from "../../api/types";
import type { Desktop, DesktopState } from "../../host/host";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import { Choice, Field } from "../../parts/Field";
import { Notice, ProblemText } from "../../parts/Notice";
import styles from "../Settings.module.css";

type Where = "local" | "remote";

const WHERE: readonly { value: Where; label: string }[] = [
  { value: "local", label: "On this computer" },
  { value: "remote", label: "Another server" },
];

export function ServerSettings({ desktop, app }: { desktop: DesktopState | null; app: Desktop }) {
  const mode = desktop?.server.mode ?? "local";
  const [where, setWhere] = useState<Where>(mode);
  const [address, setAddress] = useState(mode === "remote" ? (desktop?.server.address ?? "") : "");
  const [api, setApi] = useState(mode === "remote" ? (desktop?.server.api_address ?? "") : "");
  const [key, setKey] = useState("");
  const [authority, setAuthority] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);

  const change = async (work: () => Promise<void>) => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (thrown) {
      setProblem(asProblem(thrown));
    }
    setBusy(false);
  };
  const connect = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) void change(() => app.toRemoteServer({ address, api, key, authority: authority || null }));
  };

  return (
    <section className={styles.section} aria-labelledby="server-title">
      <h2 id="server-title" className={styles.title}>
        Server
      </h2>
      <Choice<Where> legend="Server location" value={where} options={WHERE} onChange={setWhere} />
      {where === "local" && mode === "local" && (
        <p className={styles.note}>
          Postern starts and stops it with the app. Its key is stored{" "}
          {desktop?.keychain.kind === "file" ? "in a sealed file." : "in the keychain of this computer."}
        </p>
      )}
      {where === "local" && mode === "remote" && (
        <>
          <p className={styles.note}>
            Postern starts a server on this computer. The configured tunnels are kept and get new addresses.
          </p>
          <div className={styles.buttons}>
            <Button weight="primary" busy={busy} onClick={() => void change(() => app.toLocalServer())}>
              Use this computer's server
            </Button>
          </div>
        </>
      )}
      {where === "remote" && (
        <form className={styles.form} onSubmit={connect} noValidate>
          <Field label="Agent address" hint="Host and port, for example tunnel.example.com:443">
            {(inputProps) => (
              <input
                {...inputProps}
                value={address}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => setAddress(event.target.value)}
              />
            )}
          </Field>
          <Field label="Management API" hint="For example https://api.example.com">
            {(inputProps) => (
              <input
                {...inputProps}
                value={api}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => setApi(event.target.value)}
              />
            )}
          </Field>
          <Field label="API key" hint="It is stored in the keychain of this computer and never shown again.">
            {(inputProps) => (
              <input
                {...inputProps}
                type="password"
                value={key}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => setKey(event.target.value)}
              />
            )}
          </Field>
          <Field
            label="Certificate authority"
            hint="The text of its PEM file, if this computer does not already trust the server's certificate."
          >
            {(inputProps) => (
              <textarea
                {...inputProps}
                rows={4}
                value={authority}
                spellCheck={false}
                placeholder="-----BEGIN CERTIFICATE-----"
                onChange={(event) => setAuthority(event.target.value)}
              />
            )}
          </Field>
          <div className={styles.buttons}>
            <Button weight="primary" type="submit" icon="arrow" busy={busy}>
              Connect and restart
            </Button>
          </div>
          <p className={styles.note}>
            Postern checks the server first; if it responds, the agent gets a token and Postern restarts with
            it.
          </p>
        </form>
      )}
      {problem && (
        <Notice tone="bad" title="Nothing was changed" alert>
          <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
        </Notice>
      )}
    </section>
  );
}
