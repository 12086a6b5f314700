// Named filters: the built-in ones as buttons, the saved ones in a menu.
import { useState } from "react";
import { hasTerm, toggleTerm } from "../model/filter";
import { storedViews, storeViews, BUILT_IN_VIEWS, withoutView, withView } from "../model/savedViews";
import { Button, IconButton } from "../parts/Button";
import { Menu } from "../parts/Menu";
import { NameDialog } from "../parts/NameDialog";
import styles from "./Toolbar.module.css";

export function SavedViews({ filter, onFilter }: { filter: string; onFilter(filter: string): void }) {
  const [views, setViews] = useState(() => storedViews());
  const [naming, setNaming] = useState(false);
  const change = (next: typeof views) => {
    setViews(next);
    storeViews(next);
  };
  const current = views.find((view) => view.filter === filter);
  return (
    <>
      {BUILT_IN_VIEWS.map(({ name, filter: term }) => (
        <Button
          key={name}
          className={styles.chip}
          aria-pressed={hasTerm(filter, term)}
          onClick={() => onFilter(toggleTerm(filter, term))}
        >
          {name}
        </Button>
      ))}
      <Menu
        trigger={<IconButton label="Saved views" icon="list" />}
        title={views.length > 0 ? "Saved views" : "No saved views yet"}
        actions={[
          ...views.map((view) => ({
            label: view.name,
            icon: view === current ? ("check" as const) : ("search" as const),
            run: () => onFilter(view.filter),
          })),
          {
            label: "Save this filter…",
            icon: "add" as const,
            disabled: filter.trim() === "" || current !== undefined,
            run: () => setNaming(true),
          },
          ...(current
            ? [
                {
                  label: `Delete “${current.name}”`,
                  icon: "trash" as const,
                  danger: true,
                  run: () => change(withoutView(views, current.name)),
                },
              ]
            : []),
        ]}
      />
      {naming && (
        <NameDialog
          title="Save this filter"
          description={filter}
          onClose={() => setNaming(false)}
          onSave={(name) => {
            change(withView(views, { name, filter }));
            setNaming(false);
          }}
        />
      )}
    </>
  );
}
