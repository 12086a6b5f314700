// A button that opens a list of checkable items.
import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement } from "react";
import { Icon } from "./Icon";
import styles from "./Menu.module.css";

interface CheckMenuProps {
  trigger: ReactElement;
  title: string;
  items: readonly { value: string; label: string; checked: boolean }[];
  onChange(value: string, checked: boolean): void;
}

export function CheckMenu({ trigger, title, items, onChange }: CheckMenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} align="end" sideOffset={4} collisionPadding={8}>
          <Base.Popup className={styles.popup}>
            <Base.Group>
              <Base.GroupLabel className={styles.title}>{title}</Base.GroupLabel>
              {items.map((item) => (
                <Base.CheckboxItem
                  key={item.value}
                  checked={item.checked}
                  closeOnClick={false}
                  className={styles.item}
                  onCheckedChange={(checked) => onChange(item.value, checked)}
                >
                  <span className={styles.mark}>{item.checked && <Icon name="check" size={14} />}</span>
                  {item.label}
                </Base.CheckboxItem>
              ))}
            </Base.Group>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
