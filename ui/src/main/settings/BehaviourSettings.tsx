// Behaviour of the app: when it starts, and which notifications it shows.
import { useEffect, useState } from "react";
import type { NotificationPreferences, Preferences } from "../../api/desktop.generated";
import type { Desktop } from "../../host/host";
import { Check } from "../../parts/Check";
import { attempt } from "../../services";
import styles from "../Settings.module.css";

const NOTIFICATION_KINDS: readonly { kind: keyof NotificationPreferences; label: string; hint: string }[] = [
  { kind: "connection", label: "The server", hint: "When it becomes unreachable, and when it is back." },
  { kind: "tunnels", label: "Tunnels", hint: "When one that is turned on fails." },
  { kind: "errors", label: "Errors", hint: "When responses to visitors have status 500 or above." },
  {
    kind: "certificates",
    label: "Certificates",
    hint: "30, 14 and 3 days before one of the server expires.",
  },
];

export function BehaviourSettings({ app }: { app: Desktop }) {
  const [now, setNow] = useState<Preferences | null>(null);

  useEffect(() => {
    void attempt("The settings could not be loaded", async () => setNow(await app.preferences()));
  }, [app]);
  if (!now) return <p className={styles.note}>Loading the settings…</p>;

  /** The choice is shown at once; the actual state is read afterwards, also when the change failed. */
  const change = (what: string, next: Preferences, work: () => Promise<void>) =>
    void attempt(what, async () => {
      setNow(next);
      try {
        await work();
      } finally {
        setNow(await app.preferences());
      }
    });
  const setAutostart = (on: boolean) =>
    change("The start at login could not be changed", { ...now, autostart: on }, () => app.setAutostart(on));
  const setWanted = (chosen: NotificationPreferences) =>
    change("The notifications could not be changed", { ...now, notifications: chosen }, () =>
      app.setNotifications(chosen),
    );

  return (
    <>
      <section className={styles.section} aria-labelledby="start-title">
        <h2 id="start-title" className={styles.title}>
          Start
        </h2>
        <Check
          label="Start at login"
          hint="Postern starts in the tray without a window, and starts the tunnels that were on."
          checked={now.autostart === true}
          onChange={setAutostart}
        />
      </section>
      <section className={styles.section} aria-labelledby="notifications-title">
        <h2 id="notifications-title" className={styles.title}>
          Desktop notifications
        </h2>
        <p className={styles.note}>Only while no Postern window is visible, and at a limited rate.</p>
        {NOTIFICATION_KINDS.map(({ kind, label, hint }) => (
          <Check
            key={kind}
            label={label}
            hint={hint}
            checked={now.notifications[kind]}
            onChange={(on) => setWanted({ ...now.notifications, [kind]: on })}
          />
        ))}
      </section>
    </>
  );
}
