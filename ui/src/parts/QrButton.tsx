// A button that shows an address as a QR code, for a phone.
import { lazy, Suspense, useState } from "react";
import { useCopy } from "../services";
import { Button, IconButton } from "./Button";
import { Dialog } from "./Dialog";
import styles from "./QrButton.module.css";

const QrCode = lazy(() => import("./QrCode"));

export function QrButton({ url }: { url: string }) {
  const [open, setOpen] = useState(false);
  const copy = useCopy();
  return (
    <>
      <IconButton label={`Show the QR code of ${url}`} icon="qr" onClick={() => setOpen(true)} />
      <Dialog title="QR code" open={open} onClose={() => setOpen(false)}>
        <div className={styles.content}>
          <div className={styles.code}>
            <Suspense>
              <QrCode text={url} />
            </Suspense>
          </div>
          <div className={styles.address}>
            <span className={styles.url}>{url}</span>
            <Button icon="copy" onClick={() => void copy(url, "The address")}>
              Copy
            </Button>
          </div>
          {isOfThisComputer(url) && (
            <p className={styles.note}>
              Names below localhost lead to the device that looks them up: a phone cannot reach this address.
            </p>
          )}
        </div>
      </Dialog>
    </>
  );
}

/** Whether a browser can open the address: it is one of HTTP and has no placeholder. */
export function isOpenable(url: string): boolean {
  return /^https?:/.test(url) && !url.includes("*");
}

function isOfThisComputer(url: string): boolean {
  return /^https?:\/\/(?:[^/?#]*\.)?localhost(?::\d+)?(?:[/?#]|$)/i.test(url);
}
