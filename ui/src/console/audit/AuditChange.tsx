// On the page of an audit event: the settings before and after the change, and what puts it back; or what was observed.
import { useState } from "react";
import type { AuditEvent } from "../../api/generated";
import { counted } from "../../model/format";
import { Button } from "../../parts/Button";
import { Prose } from "../../parts/Prose";
import { PlaceLink } from "../PlaceLink";
import { RefLink } from "../resource/cells";
import { Section } from "../resource/PageFrame";
import { isId } from "../../model/ids";
import styles from "./audit.module.css";
import { differences, settingName, type SettingChange } from "./difference";
import { PutBackDialog } from "./PutBackDialog";

export function AuditChange({ record: event }: { record: AuditEvent }) {
  const [all, setAll] = useState(false);
  const [restoring, setRestoring] = useState(false);
  const { changes, same } = differences(event.before, event.after);
  const possible = event.put_back.calls.length > 0;
  if (event.operation === "observed") {
    return (
      <Section title="What was observed">
        <Settings event={event} changes={changes} />
      </Section>
    );
  }
  return (
    <>
      <Section
        title="What changed"
        actions={
          <PlaceLink to={`/audit_events?object_id=${event.object_id}`} className={styles.history}>
            All changes of this record
          </PlaceLink>
        }
      >
        {changes.length > 0 ? (
          <Settings event={event} changes={all ? [...changes, ...same] : changes} />
        ) : (
          <p className={styles.none}>{unchanged(event)}</p>
        )}
        {same.length > 0 && (
          <Button weight="quiet" className={styles.rest} aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? "Hide" : "Show"} {counted(same.length, "setting")} that did not change
          </Button>
        )}
        {event.secrets_changed && changes.length > 0 && (
          <p className={styles.none}>A secret was changed, too. Secrets are never in the audit log.</p>
        )}
      </Section>
      <Section
        title="Put this back"
        actions={
          possible && (
            <Button weight="primary" icon="replay" onClick={() => setRestoring(true)}>
              Put this back…
            </Button>
          )
        }
      >
        <div className={styles.none}>
          <Prose text={event.put_back.note || "The settings from before this change can be restored."} />
        </div>
      </Section>
      {restoring && <PutBackDialog event={event} onClose={() => setRestoring(false)} />}
    </>
  );
}

function unchanged(event: AuditEvent): string {
  if (event.secrets_changed) return "A secret was changed. Secrets are never in the audit log.";
  if (event.before === null && event.after === null) return "The settings were not recorded for this change.";
  return "No setting has another value than before.";
}

function Settings({ event, changes }: { event: AuditEvent; changes: readonly SettingChange[] }) {
  const shows = {
    before: event.operation !== "created" && event.operation !== "observed",
    after: event.operation !== "deleted",
  };
  return (
    <div className={styles.scroll} role="region" aria-label="Settings before and after" tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            {shows.before && <th scope="col">Before</th>}
            {shows.after && (
              <th scope="col">{shows.before || event.operation === "created" ? "After" : "Value"}</th>
            )}
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => {
            const differs = change.before !== change.after && event.operation !== "observed";
            return (
              <tr key={change.path.join("/")}>
                <th scope="row">{settingName(change.path)}</th>
                {shows.before && <Value text={change.before} tone={differs ? styles.before : undefined} />}
                {shows.after && <Value text={change.after} tone={differs ? styles.after : undefined} />}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Value({ text, tone }: { text: string | null; tone: string | undefined }) {
  if (text === null) return <td className={styles.none}>not set</td>;
  const ids = text.split("\n").every(isId) ? text.split("\n") : null;
  return (
    <td>
      {text === "***" ? (
        <span className={styles.none}>a secret</span>
      ) : (
        <pre className={tone}>{ids ? <Names ids={ids} /> : text}</pre>
      )}
    </td>
  );
}

/** References of a setting by name, one a line. */
function Names({ ids }: { ids: readonly string[] }) {
  return ids.map((id, index) => (
    <span key={id}>
      {index > 0 && "\n"}
      <RefLink id={id} />
    </span>
  ));
}
