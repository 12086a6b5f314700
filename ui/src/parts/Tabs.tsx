// Tabs with arrow keys between them; only the open one is rendered.
import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import styles from "./Tabs.module.css";

export interface TabItem {
  value: string;
  label: string;
  content: () => ReactNode;
}

export function Tabs({
  label,
  value,
  onChange,
  items,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
  items: readonly TabItem[];
}) {
  return (
    <Base.Root className={styles.root} value={value} onValueChange={(next) => onChange(String(next))}>
      <Base.List className={styles.list} aria-label={label} activateOnFocus>
        {items.map((item) => (
          <Base.Tab key={item.value} value={item.value} className={styles.tab}>
            {item.label}
          </Base.Tab>
        ))}
      </Base.List>
      {items.map((item) => (
        <Base.Panel key={item.value} value={item.value} className={styles.panel}>
          {item.value === value && item.content()}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
