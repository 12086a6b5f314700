// The list of a kind.
import { Button } from "../../parts/Button";
import { useCopy } from "../../services";
import { useNavigateTo } from "../address";
import { MissingNodes } from "../MissingNodes";
import styles from "./ListPage.module.css";
import type { Kind } from "./kind";
import { PageFrame } from "./PageFrame";
import { ResourceTable } from "./ResourceTable";

export function ListPage({ kind }: { kind: Kind }) {
  const go = useNavigateTo();
  const { task } = kind;
  const create = !kind.live && (
    <div className={styles.create}>
      {task && (
        <Button weight="primary" icon="globe" onClick={() => go(task.path)}>
          {task.label}
        </Button>
      )}
      <Button weight={task ? "plain" : "primary"} icon="add" onClick={() => go(`${kind.path}/new`)}>
        New {kind.singular}
      </Button>
    </div>
  );
  return (
    <PageFrame title={kind.plural} about={kind.about} actions={create}>
      {kind.live?.ofNodes && <MissingNodes />}
      <ResourceTable kind={kind} isPage empty={<Empty kind={kind} action={create} />} />
    </PageFrame>
  );
}

/** One sentence, one action, one command. */
export function Empty({ kind, action }: { kind: Kind; action: React.ReactNode }) {
  const copy = useCopy();
  const { sentence, command } = kind.empty;
  return (
    <div className={styles.empty}>
      <p>{sentence}</p>
      {action}
      {command && (
        <p className={styles.command}>
          <code>{command}</code>
          <Button icon="copy" onClick={() => void copy(command, "The command")}>
            Copy
          </Button>
        </p>
      )}
    </div>
  );
}
