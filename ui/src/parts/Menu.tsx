// A button that opens a short list of actions.
import { Menu as Base } from "@base-ui/react/menu";
import { useId, useRef, type ReactElement } from "react";
import { Icon, type IconName } from "./Icon";
import styles from "./Menu.module.css";

export interface MenuAction {
  label: string;
  icon?: IconName;
  /** A sentence of explanation. */
  detail?: string;
  danger?: boolean;
  disabled?: boolean;
  run(): void;
}

export function Menu({
  trigger,
  title,
  actions,
  align = "end",
  moving = false,
}: {
  trigger: ReactElement;
  title?: string;
  actions: readonly MenuAction[];
  /** The edge of the trigger that it aligns with. */
  align?: "start" | "end";
  /** Actions move the focus elsewhere; without one it returns to the trigger. */
  moving?: boolean;
}) {
  const id = useId();
  const ran = useRef(false);
  return (
    <Base.Root modal={false} onOpenChange={(open) => open && (ran.current = false)}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} align={align} sideOffset={4} collisionPadding={8}>
          <Base.Popup className={styles.popup} finalFocus={() => !(moving && ran.current)}>
            <Base.Group>
              {title && <Base.GroupLabel className={styles.title}>{title}</Base.GroupLabel>}
              {actions.map((action, index) => (
                <Base.Item
                  key={action.label}
                  aria-label={action.detail ? action.label : undefined}
                  aria-describedby={action.detail ? `${id}-${index}` : undefined}
                  disabled={action.disabled ?? false}
                  className={`${styles.item} ${action.danger ? styles.danger : ""}`}
                  onClick={() => {
                    ran.current = true;
                    action.run();
                  }}
                >
                  {action.icon && <Icon name={action.icon} />}
                  {action.detail ? (
                    <span>
                      {action.label}
                      <span id={`${id}-${index}`} className={styles.detail}>
                        {action.detail}
                      </span>
                    </span>
                  ) : (
                    action.label
                  )}
                </Base.Item>
              ))}
            </Base.Group>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
