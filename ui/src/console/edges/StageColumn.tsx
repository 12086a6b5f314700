// The stages of an edge or route in execution order: from the visitor to the backend, and back.
import { useEffect, useRef, useState } from "react";
import type { RefusedVisit } from "../../api/generated";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { Menu } from "../../parts/Menu";
import { Notice } from "../../parts/Notice";
import { useNow } from "../../parts/hooks";
import { toast } from "../../parts/toast";
import { useAddressSearch } from "../address";
import { conflictsOf, conflictWith, moduleSetOf } from "../modules/conflicts";
import type { ModuleDescriptor, Owner } from "../modules/descriptor";
import { modulesOf, stagesOf } from "../modules/index";
import { recentDecisions, recentText } from "../modules/recentDecisions";
import { ModuleForm } from "../modules/ModuleForm";
import { ChangeDialog, type PlannedChange } from "./ChangeDialog";
import { removalPlan, switchPlan } from "./plannedChanges";
import { Stage } from "./Stage";
import styles from "./StageColumn.module.css";

interface StageColumnProps {
  owner: Owner;
  record: { id: string };
  /** The path of the record, and the collection whose queries are invalidated after a change. */
  path: string;
  collection: string;
  /** Recent refusals; omitted where stages record none. */
  visits: readonly RefusedVisit[];
  /** The visitors' address; null where a browser cannot open it. */
  address?: string | null;
}

/** What passes the stages of each kind of owner: connections or requests. */
const ENDS: Record<Owner, { from: string; to: string; back: string | null }> = {
  https_edge: { from: "A visitor connects", to: "The routes", back: null },
  https_route: {
    from: "A visitor’s request",
    to: "The backend responds",
    back: "The visitor gets the response",
  },
  tls_edge: { from: "A visitor connects", to: "Data flows in both directions", back: null },
  tcp_edge: { from: "A visitor connects", to: "Data flows in both directions", back: null },
};

export function StageColumn({ owner, record, path, collection, visits, address = null }: StageColumnProps) {
  const [{ stage: open }, change] = useAddressSearch();
  const [plan, setPlan] = useState<PlannedChange | null>(null);
  const now = useNow(5_000, visits.length > 0);
  const set = moduleSetOf(record, owner);
  const did = recentDecisions(visits, owner === "https_route" ? record.id : null);
  const { inward, outward } = stagesOf(owner);
  const ends = ENDS[owner];
  const unset = modulesOf(owner).filter(({ name }) => !set[name]);
  const openStage = (name: string | undefined) => change({ stage: name });
  const focusLater = useFocusOfStage(open);

  const stage = (module: ModuleDescriptor) => {
    const view = set[module.name] ?? null;
    const editing = open === module.name;
    if (!view && !editing) return null;
    const conflict = view?.["enabled"] === true ? null : conflictWith(set, module.name);
    return (
      <Stage
        key={module.name}
        module={module}
        view={view}
        editing={editing}
        recent={view ? recentText(module, did.get(module.trace), now) : ""}
        onEdit={() => openStage(editing ? undefined : module.name)}
        onSwitch={(on) => view && setPlan(switchPlan(module, path, view, on, conflict))}
        onRemove={() => setPlan(removalPlan(module, path))}
      >
        {editing && (
          <ModuleForm
            key={view ? "set" : "new"}
            module={module}
            path={path}
            collection={collection}
            view={view}
            conflict={conflict}
            route={owner === "https_route" ? record.id : null}
            address={address}
            onDone={() => {
              toast({ title: view ? `${module.label} changed` : `${module.label} added` });
              openStage(undefined);
              focusLater(module.name);
            }}
            onCancel={() => {
              openStage(undefined);
              if (view) focusLater(module.name);
            }}
          />
        )}
      </Stage>
    );
  };

  return (
    <div className={styles.column}>
      {conflictsOf(set, owner).map((sentence) => (
        <Notice key={sentence} tone="warn" title={sentence} />
      ))}
      <ol className={styles.stages} aria-label="Modules in execution order">
        <End words={ends.from} />
        {inward.map(stage)}
        <End words={ends.to} />
        {outward.map(stage)}
        {ends.back && <End words={ends.back} />}
      </ol>
      {unset.length > 0 && (
        <Menu
          trigger={
            <Button icon="add" className={styles.add ?? ""}>
              Add module
            </Button>
          }
          title="Modules that are not set"
          align="start"
          moving
          actions={unset.map((module) => ({
            label: module.label,
            detail: module.about,
            run: () => openStage(module.name),
          }))}
        />
      )}
      {plan && <ChangeDialog plan={plan} collection={collection} onClose={() => setPlan(null)} />}
    </div>
  );
}

function End({ words: success }: { words: string }) {
  return (
    <li className={styles.end}>
      <span className={styles.dot}>
        <Icon name="arrow" size={14} />
      </span>
      {success}
    </li>
  );
}

/** Moves the focus to a stage as soon as its form is closed and the record has it. */
function useFocusOfStage(open: string | undefined): (name: string) => void {
  const awaited = useRef<string | null>(null);
  useEffect(() => {
    const name = awaited.current;
    const heading = name === null || name === open ? null : document.getElementById(`stage-${name}`);
    if (!heading) return;
    awaited.current = null;
    heading.focus();
  });
  return (name) => (awaited.current = name);
}
