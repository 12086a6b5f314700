// A button that opens a short list of actions.
import { Menu as Base } from "@base-ui/react/menu";
import { useRef, type ReactElement } from "react";
import { Icon, type IconName } from "./Icon";
import styles from "./Menu.module.css";

export interface MenuAction {
  label: string;
  icon?: IconName;
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
  /** Which of the trigger's edges it follows. */
  align?: "start" | "end";
  /** Actions take the focus somewhere else; without one it goes back to the trigger. */
  moving?: boolean;
}) {
  const ran = useRef(false);
  return (
    <Base.Root modal={false} onOpenChange={(open) => open && (ran.current = false)}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} align={align} sideOffset={4} collisionPadding={8}>
          <Base.Popup className={styles.popup} finalFocus={() => !(moving && ran.current)}>
            <Base.Group>
              {title && <Base.GroupLabel className={styles.title}>{title}</Base.GroupLabel>}
              {actions.map((action) => (
                <Base.Item
                  key={action.label}
                  disabled={action.disabled ?? false}
                  className={`${styles.item} ${action.danger ? styles.danger : ""}`}
                  onClick={() => {
                    ran.current = true;
                    action.run();
                  }}
                >
                  {action.icon && <Icon name={action.icon} />}
                  {action.label}
                </Base.Item>
              ))}
            </Base.Group>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
