// The sign-in of the server's own page: by its OpenID provider, or with an API key, which is exchanged for a session and kept nowhere.
import { useEffect, useRef, useState, type FormEvent } from "react";
import { asProblem, errorFromResponse } from "../../api/problem";
import type { Problem } from "../../api/types";
import type { ConsoleSignIn, SignInProvider, SignInState } from "../../host/host";
import { beginAt } from "../../host/signInProvider";
import { adviceFor } from "../../model/advice";
import { Brand } from "../../parts/Brand";
import { Button } from "../../parts/Button";
import { Field, Input } from "../../parts/Field";
import { Notice, ProblemText } from "../../parts/Notice";
import styles from "./SignInPage.module.css";

interface SignInPageProps {
  signIn: ConsoleSignIn;
  state: Exclude<SignInState, { phase: "in" }>;
}

export function SignInPage({ signIn, state }: SignInPageProps) {
  useEffect(() => {
    // The person may have signed in on another page meanwhile.
    const onFocus = () => void signIn.check();
    window.addEventListener("focus", onFocus);
    return () => window.removeEventListener("focus", onFocus);
  }, [signIn]);
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <Brand name="console" />
        {state.phase === "unknown" ? (
          <Unknown problem={state.problem} check={() => signIn.check()} />
        ) : (
          <SignedOut signIn={signIn} hasEnded={state.former !== null} />
        )}
      </div>
    </main>
  );
}

function Unknown({ problem, check }: { problem: Problem; check(): Promise<void> }) {
  const [busy, setBusy] = useState(false);
  return (
    <>
      <Notice tone="bad" title="The server does not let you in at the moment" alert>
        <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
      </Notice>
      <Button
        weight="primary"
        icon="refresh"
        busy={busy}
        onClick={() => {
          setBusy(true);
          void check().finally(() => setBusy(false));
        }}
      >
        Try again
      </Button>
    </>
  );
}

function SignedOut({ signIn, hasEnded }: { signIn: ConsoleSignIn; hasEnded: boolean }) {
  const [provider, setProvider] = useState<SignInProvider | null>(null);
  useEffect(() => {
    let shown = true;
    // Without a response, the key is a way in.
    signIn.provider().then(
      (found) => shown && setProvider(found),
      () => {},
    );
    return () => {
      shown = false;
    };
  }, [signIn]);
  return (
    <>
      {provider && (
        <>
          <Button
            weight="primary"
            icon="user"
            onClick={() => location.assign(beginAt(provider, location.hash))}
          >
            Sign in with {provider.name}
          </Button>
          <p className={styles.or}>or with an API key</p>
        </>
      )}
      <KeyForm signIn={signIn} hasEnded={hasEnded} isSecond={provider !== null} />
    </>
  );
}

interface KeyFormProps {
  signIn: ConsoleSignIn;
  hasEnded: boolean;
  /** There is another way in, which comes first. */
  isSecond: boolean;
}

function KeyForm({ signIn, hasEnded, isSecond }: KeyFormProps) {
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [tried, setTried] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const mistake = mistakeOf(key.trim());
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (mistake !== null) return void input.current?.focus();
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      const response = await signIn.signIn(key.trim());
      if (response.status !== 201) throw errorFromResponse(response.status, response.body, "server");
    } catch (thrown) {
      setProblem(asProblem(thrown));
      input.current?.focus();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className={styles.form} noValidate onSubmit={(event) => void send(event)}>
      <p>Sign in with an API key of this server. The key is not kept in the browser.</p>
      {hasEnded && !problem && (
        <Notice tone="warn" title="Your session has ended">
          <p>
            Sign in again to continue where you were. What you typed is still there
            {isSecond && " if you sign in with a key"}.
          </p>
        </Notice>
      )}
      {!isSecureContext && (
        <Notice tone="warn" title="This connection is not encrypted">
          <p>Others in the network can read the key. Open the console over HTTPS, or on the server itself.</p>
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
      <Button type="submit" weight={isSecond ? "plain" : "primary"} icon="lock" busy={busy}>
        Sign in
      </Button>
      <p className={styles.quiet}>
        Another key is made on the server&rsquo;s machine with{" "}
        <code className={styles.code}>postern-server api-key create --role admin</code>
      </p>
    </form>
  );
}

function mistakeOf(key: string): string | null {
  if (key === "") return "Enter an API key.";
  return /^[\x21-\x7e]+$/.test(key) ? null : "A key consists of letters and digits on one line.";
}
