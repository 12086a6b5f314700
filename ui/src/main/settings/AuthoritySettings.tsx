// Trust in the local certificate authority: where it is trusted, and buttons to add or remove it.
import { useState } from "react";
import type { DesktopState, TrustOutcome, TrustStore } from "../../api/desktop.generated";
import type { Desktop } from "../../host/host";
import { Button } from "../../parts/Button";
import { State } from "../../parts/State";
import styles from "../Settings.module.css";
import { changeTrust, TrustMeaning } from "../TrustOffer";

export function AuthoritySettings({ desktop, app }: { desktop: DesktopState; app: Desktop }) {
  const [busy, setBusy] = useState(false);
  const { trusted, path } = desktop.authority;
  const run = async (what: string, change: () => Promise<TrustOutcome>) => {
    setBusy(true);
    await changeTrust(what, change);
    setBusy(false);
  };
  const trust = (where: TrustStore) =>
    void run("The certificate authority could not be trusted", () => app.trustAuthority(where));
  const rows = [
    { where: "system", label: "System store", on: trusted.system },
    { where: "browsers", label: "Browsers", on: trusted.browsers },
  ] as const;
  return (
    <section className={styles.section} aria-labelledby="authority-title">
      <h2 id="authority-title" className={styles.title}>
        Local certificate authority
      </h2>
      <TrustMeaning />
      <dl className={styles.facts}>
        {rows.map(({ where, label, on }) => (
          <div key={where} className={styles.row}>
            <dt>{label}</dt>
            <dd className={styles.part}>
              <State tone={on ? "ok" : "idle"} icon={on ? "check" : "circle"}>
                {on ? "Trusted" : "Not trusted"}
              </State>
              {!on && (
                <Button icon="lock" busy={busy} onClick={() => trust(where)}>
                  Trust
                </Button>
              )}
            </dd>
          </div>
        ))}
        {path && (
          <>
            <dt>Certificate</dt>
            <dd>
              <code>{path}</code>
            </dd>
          </>
        )}
      </dl>
      {(trusted.system || trusted.browsers) && (
        <div className={styles.buttons}>
          <Button
            weight="danger"
            busy={busy}
            onClick={() => void run("Trust could not be removed", () => app.untrustAuthority())}
          >
            Remove trust everywhere
          </Button>
        </div>
      )}
    </section>
  );
}
