// What can be done with a list as a whole: views that are saved by name, and its records as a file.
import { useState } from "react";
import type { Base } from "../../api/management";
import { storedViews, storeViews, withoutView, withView } from "../../model/savedViews";
import { Button } from "../../parts/Button";
import { Menu } from "../../parts/Menu";
import { NameDialog } from "../../parts/NameDialog";
import { saveText } from "../../parts/save";
import { parseSearch, useAddressSearch, writeSearch, type Search } from "../address";
import { attempt } from "../../services";
import { toast } from "../../parts/toast";
import { csvOf } from "./csv";
import { inside, type Kind } from "./kind";
import type { TableState } from "./useTable";

/** Parameters of the address that say where one is in the list, not how it is shown. */
const PLACES = ["page", "after"];

/** Search, order, columns and size of a list, by names. */
export function ListViews({ kind }: { kind: Kind }) {
  const [search, change] = useAddressSearch();
  const key = `views${kind.path}`;
  const [views, setViews] = useState(() => storedViews(key));
  const [isNaming, setNaming] = useState(false);
  const filter = viewOf(search);
  const current = views.find((view) => view.filter === filter);
  const store = (next: typeof views) => {
    setViews(next);
    storeViews(next, key);
  };
  const show = (text: string) =>
    change({
      ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
      ...parseSearch(text),
    });
  return (
    <>
      <Menu
        trigger={<Button icon="bookmark">{current ? `View: ${current.name}` : "Views"}</Button>}
        title={views.length > 0 ? "Saved views" : "No saved views yet"}
        moving
        actions={[
          ...views.map((view) => ({
            label: view.name,
            icon: view === current ? ("check" as const) : ("search" as const),
            run: () => show(view.filter),
          })),
          {
            label: "Save this view…",
            icon: "add" as const,
            disabled: filter === "" || current !== undefined,
            run: () => setNaming(true),
          },
          ...(filter === "" ? [] : [{ label: "Reset the view", icon: "back" as const, run: () => show("") }]),
          ...(current
            ? [
                {
                  label: `Delete “${current.name}”`,
                  icon: "trash" as const,
                  danger: true,
                  run: () => store(withoutView(views, current.name)),
                },
              ]
            : []),
        ]}
      />
      {isNaming && (
        <NameDialog
          title="Save this view"
          description="The search, the order, the columns and the number of rows of this list."
          onClose={() => setNaming(false)}
          onSave={(name) => {
            store(withView(views, { name, filter }));
            setNaming(false);
          }}
        />
      )}
    </>
  );
}

function viewOf(search: Search): string {
  return writeSearch(Object.fromEntries(Object.entries(search).filter(([name]) => !PLACES.includes(name))));
}

/** Saves all records that the search finds, in the order and with the columns of the list. */
export function ExportButton<T extends Base>({ kind, table }: { kind: Kind<T>; table: TableState<T> }) {
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    await attempt("The list could not be exported", async () => {
      const { records, isComplete } = await table.readAll();
      const name = `${inside(kind.plural).toLowerCase().replaceAll(" ", "-")}.csv`;
      saveText(name, csvOf(table.columns, records, table.traffic), "text/csv");
      toast({
        title: `${records.length.toLocaleString("en")} records exported`,
        ...(isComplete ? {} : { detail: "There are more: these are the newest." }),
      });
    });
    setBusy(false);
  };
  return (
    <Button icon="export" busy={isBusy} onClick={() => void run()}>
      Export CSV
    </Button>
  );
}
