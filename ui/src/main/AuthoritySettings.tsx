// Trust in the local authority: where it is trusted, to trust it there, and to undo it.
import { useState } from "react";
import type { DesktopState, TrustWhere } from "../host/host";
import { Button } from "../parts/Button";
import { State } from "../parts/State";
import { attempt, useServices } from "../services";
import styles from "./Settings.module.css";
import { TrustMeaning } from "./TrustOffer";

export function AuthoritySettings({ desktop }: { desktop: DesktopState }) {
  const { host } = useServices();
  const [busy, setBusy] = useState(false);
  const { trusted, path } = desktop.authority;
  const run = async (what: string, action: () => Promise<void>) => {
    setBusy(true);
    await attempt(what, action);
    setBusy(false);
  };
  const trust = (where: TrustWhere) =>
    void run("The authority could not be trusted", async () => host.desktop?.trustAuthority(where));
  const rows = [
    { where: "system", label: "System store", on: trusted.system },
    { where: "browsers", label: "Browsers", on: trusted.browsers },
  ] as const;
  return (
    <section className={styles.section} aria-labelledby="authority-title">
      <h3 id="authority-title" className={styles.title}>
        Local authority
      </h3>
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
                  Trust here
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
            onClick={() =>
              void run("Trust could not be undone", async () => host.desktop?.untrustAuthority())
            }
          >
            Undo trust everywhere
          </Button>
        </div>
      )}
    </section>
  );
}
