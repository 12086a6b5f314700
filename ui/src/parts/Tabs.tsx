// Tabs with arrow keys between them; only the active one is rendered.
import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import styles from "./Tabs.module.css";

interface TabsProps {
  label: string;
  value: string;
  onChange(value: string): void;
  items: readonly { value: string; label: string }[];
  /** The content of the active tab. */
  children: ReactNode;
}

export function Tabs({ label, value, onChange, items, children }: TabsProps) {
  return (
    <Base.Root className={styles.root} value={value} onValueChange={(next) => onChange(String(next))}>
      <Base.List className={styles.list} aria-label={label} activateOnFocus>
        {items.map((item) => (
          <Base.Tab key={item.value} value={item.value} className={styles.tab} data-label={item.label}>
            {item.label}
          </Base.Tab>
        ))}
      </Base.List>
      {items.map((item) => (
        <Base.Panel key={item.value} value={item.value} className={styles.panel}>
          {item.value === value && children}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
