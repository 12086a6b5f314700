// Shows a token that the server reveals only once. The dialog closes when the user confirms that it was stored.
import { useState } from "react";
import { Button } from "../../parts/Button";
import { Dialog, DialogActions } from "../../parts/Dialog";
import { Check } from "../../parts/Check";
import { useCopy } from "../../services";
import styles from "./TokenOnce.module.css";

export function TokenOnce({ what, token, onStored }: { what: string; token: string; onStored(): void }) {
  const copy = useCopy();
  const [stored, setStored] = useState(false);
  return (
    <Dialog
      title="Store this token now"
      description={`The token of this ${what} is shown only once; the server stores only a hash of it.`}
      open
      onClose={() => stored && onStored()}
    >
      <div className={styles.box}>
        <code className={styles.token} aria-label="Token">
          {token}
        </code>
        <Button icon="copy" onClick={() => void copy(token, "The token")}>
          Copy
        </Button>
      </div>
      <Check label="I have stored it" checked={stored} onChange={setStored} />
      <DialogActions>
        <Button weight="primary" aria-disabled={!stored || undefined} onClick={() => stored && onStored()}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}
