// On the page of a logged-in visitor: the sessions, each with a button to end it.
import { useState } from "react";
import type { AppSession, AppUser } from "../../api/generated";
import { Button } from "../../parts/Button";
import { DeleteDialog } from "../resource/DeleteDialog";
import { Section } from "../resource/PageFrame";
import { ResourceTable } from "../resource/ResourceTable";
import { sessionColumns, sessions } from "./sessions";
import styles from "./people.module.css";

const own = { ...sessions, columns: sessionColumns };

export function SessionsOfVisitor({ record: user }: { record: AppUser }) {
  const [ending, setEnding] = useState<AppSession | null>(null);
  return (
    <Section title={sessions.plural} about="One for each browser and route.">
      <ResourceTable
        kind={own}
        prefix="sessions-"
        only={(record) => record.application_user.id === user.id}
        title={own.title}
        renderActions={(record) => (
          <Button
            weight="quiet"
            icon="cross"
            aria-label={`End ${own.title(record)}`}
            onClick={() => setEnding(record)}
          >
            End
          </Button>
        )}
        empty={<p className={styles.none}>This visitor is not logged in.</p>}
      />
      {ending && (
        <DeleteDialog
          one={sessions.singular}
          title={sessions.title(ending)}
          path={sessions.path}
          record={ending}
          verb="End"
          forgets={[sessions.path, "/app/users"]}
          onClose={() => setEnding(null)}
          onDone={() => setEnding(null)}
        >
          <p>The next request from this browser has to log in again.</p>
        </DeleteDialog>
      )}
    </Section>
  );
}
