// One stage: its name, its settings in one line, its recent refusals, its switch and its form.
import { useEffect, useRef, type ReactNode } from "react";
import { Button, IconButton } from "../../parts/Button";
import { Switch } from "../../parts/Switch";
import type { Body } from "../form/field";
import type { ModuleDescriptor } from "../modules/descriptor";
import { capital } from "../resource/CreatePage";
import { BackendName } from "./BackendName";
import { PolicyNames } from "./PolicyNames";
import styles from "./StageColumn.module.css";

interface StageProps {
  module: ModuleDescriptor;
  view: Body | null;
  editing: boolean;
  recent: string;
  onEdit(): void;
  onSwitch(on: boolean): void;
  onRemove(): void;
  children: ReactNode;
}

export function Stage({ module, view, editing, recent, onEdit, onSwitch, onRemove, children }: StageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const on = view?.["enabled"] === true;
  const adding = view === null;
  // Moves the focus to a newly added stage.
  useEffect(() => {
    if (adding) heading.current?.focus();
  }, [adding]);
  return (
    <li
      className={styles.stage}
      data-off={view !== null && !on}
      data-editing={editing}
      aria-label={`${module.label}${view === null ? ", not added" : on ? "" : ", off"}`}
    >
      <span className={styles.dot} />
      <div className={styles.card}>
        <header className={styles.head}>
          <div className={styles.words}>
            <h2 ref={heading} id={`stage-${module.name}`} className={styles.name} tabIndex={-1}>
              {module.label}
              {view && !on && <span className={styles.off}>off</span>}
            </h2>
            <p className={styles.summary}>{view ? <Summary module={module} view={view} /> : module.about}</p>
          </div>
          {recent && <p className={styles.lately}>{recent}</p>}
          {view && (
            <div className={styles.tools}>
              {module.fields.length > 0 && (
                <Button
                  icon="edit"
                  aria-expanded={editing}
                  aria-label={`Settings of ${module.label}`}
                  onClick={onEdit}
                >
                  Settings
                </Button>
              )}
              <Switch on={on} label={`${module.label} enabled`} onChange={onSwitch} />
              <IconButton icon="trash" label={`Remove ${module.label}`} onClick={onRemove} />
            </div>
          )}
        </header>
        {editing && (
          <div className={styles.form}>
            {view && <p className={styles.about}>{module.about}</p>}
            {children}
          </div>
        )}
      </div>
    </li>
  );
}

/** References are displayed by name. */
function Summary({ module, view }: { module: ModuleDescriptor; view: Body }) {
  if (module.name === "backend") return <BackendName id={module.summary(view)} />;
  if (module.name === "ip_restriction") return <PolicyNames view={view} />;
  return capital(module.summary(view));
}
