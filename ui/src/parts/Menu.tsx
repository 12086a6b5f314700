// A button that opens a short list of actions.
import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement } from "react";
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
}: {
  trigger: ReactElement;
  title?: string;
  actions: readonly MenuAction[];
}) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} align="end" sideOffset={4} collisionPadding={8}>
          <Base.Popup className={styles.popup}>
            <Base.Group>
              {title && <Base.GroupLabel className={styles.title}>{title}</Base.GroupLabel>}
              {actions.map((action) => (
                <Base.Item
                  key={action.label}
                  disabled={action.disabled ?? false}
                  className={`${styles.item} ${action.danger ? styles.danger : ""}`}
                  onClick={action.run}
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
