// Shows a token or a secret that the server reveals only once. The dialog closes when the user confirms that it was stored.
import { useRef, useState } from "react";
import { Button } from "../../parts/Button";
import { Dialog, DialogActions } from "../../parts/Dialog";
import { Check } from "../../parts/Check";
import { useCopy } from "../../services";
import styles from "./TokenOnce.module.css";

type Shown = { token: string; secret?: never } | { secret: string; token?: never };

export function TokenOnce({ what, onStored, ...shown }: Shown & { what: string; onStored(): void }) {
  const copy = useCopy();
  const word = shown.token === undefined ? "secret" : "token";
  const text = shown.token ?? shown.secret;
  const effect =
    word === "token" ? "the server stores only a hash of it" : "receivers need it to verify what is sent";
  const [stored, setStored] = useState(false);
  const done = useRef<HTMLButtonElement>(null);
  // What was copied needs no tick of its own.
  const copyText = async () => {
    if (!(await copy(text, `The ${word}`))) return;
    setStored(true);
    done.current?.focus();
  };
  return (
    <Dialog
      title={`Store this ${word} now`}
      description={`The ${word} of this ${what} is shown only once; ${effect}.`}
      open
      onClose={() => stored && onStored()}
    >
      <div className={styles.box}>
        <code className={styles.token} aria-label={word === "token" ? "Token" : "Secret"}>
          {text}
        </code>
        <Button icon="copy" onClick={() => void copyText()}>
          Copy
        </Button>
      </div>
      <Check label="I have stored it" checked={stored} onChange={setStored} />
      <DialogActions>
        <Button
          ref={done}
          weight="primary"
          aria-disabled={!stored || undefined}
          onClick={() => stored && onStored()}
        >
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}
