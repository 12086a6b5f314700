// The server that this computer uses: the built-in one, or another with its address, key and certificate authority.
import { useState, type FormEvent } from "react";
import { asProblem } from "../../api/problem";
import type { Problem } from "../../api/types";
import type { DesktopState, RemoteServerLogin } from "../../api/desktop.generated";
import type { Desktop } from "../../host/host";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import { Choice } from "../../parts/Choice";
import { Field, Input, TextArea } from "../../parts/Field";
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
  const [remote, setRemote] = useState<RemoteServerLogin>({
    address: mode === "remote" ? (desktop?.server.address ?? "") : "",
    api: mode === "remote" ? (desktop?.server.api_address ?? "") : "",
    key: "",
    authority: null,
  });
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
  return (
    <section className={styles.section} aria-labelledby="server-title">
      <h2 id="server-title" className={styles.title}>
        Server
      </h2>
      <Choice<Where> legend="Server location" value={where} options={WHERE} onChange={setWhere} />
      {where === "local" && mode === "local" && (
        <p className={styles.note}>
          Postern starts and stops it with the app. Its key is stored{" "}
          {desktop?.keychain.kind === "file" ? "in an encrypted file." : "in the keychain of this computer."}
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
        <RemoteServerForm
          server={remote}
          busy={busy}
          onChange={setRemote}
          onConnect={() => void change(() => app.toRemoteServer(remote))}
        />
      )}
      {problem && (
        <Notice tone="bad" title="Nothing was changed" alert>
          <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
        </Notice>
      )}
    </section>
  );
}

interface RemoteServerFormProps {
  server: RemoteServerLogin;
  busy: boolean;
  onChange(server: RemoteServerLogin): void;
  onConnect(): void;
}

function RemoteServerForm({ server, busy, onChange, onConnect }: RemoteServerFormProps) {
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) onConnect();
  };
  const line = (name: "address" | "api" | "key", label: string, hint: string) => (
    <Field label={label} hint={hint}>
      <Input
        type={name === "key" ? "password" : "text"}
        value={server[name]}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange({ ...server, [name]: event.target.value })}
      />
    </Field>
  );
  return (
    <form className={styles.form} onSubmit={send} noValidate>
      {line("address", "Agent address", "Host and port, for example tunnel.example.com:443")}
      {line("api", "Management API", "For example https://api.example.com")}
      {line("key", "API key", "It is stored in the keychain of this computer and never shown again.")}
      <Field
        label="Certificate authority"
        hint="The text of its PEM file, if this computer does not already trust the server's certificate."
      >
        <TextArea
          rows={4}
          value={server.authority ?? ""}
          spellCheck={false}
          placeholder="-----BEGIN CERTIFICATE-----"
          onChange={(event) => onChange({ ...server, authority: event.target.value || null })}
        />
      </Field>
      <div className={styles.buttons}>
        <Button weight="primary" type="submit" icon="arrow" busy={busy}>
          Connect and restart
        </Button>
      </div>
      <p className={styles.note}>
        Postern checks the server first; if it responds, the agent gets a token and Postern restarts with it.
      </p>
    </form>
  );
}
