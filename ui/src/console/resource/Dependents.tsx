// The dependents of a record, and what its deletion means for each of them.
import type { Dependent, DependentList } from "../../api/generated";
import type { Base } from "../../api/management";
import { Notice } from "../../parts/Notice";
import { apiQuery, useApiQuery } from "../management";
import { MODULES } from "../modules";
import { Failure } from "../shell/PageStates";
import { RefLink } from "./cells";
import styles from "./Dependents.module.css";
import { kindLabelOfId } from "../../model/ids";

/** The API's limit. */
const MAX_DEPENDENTS = 100;
/** Dependents that are named; each is read. */
const SHOWN = 20;

export function dependentsOf(path: string, id: string) {
  return apiQuery<Dependent[]>([path, "dependents", id], async (api) => {
    const response = await api.send("GET", `${path}/${encodeURIComponent(id)}/dependents`);
    return (response as DependentList).dependents;
  });
}

interface DependentsProps {
  path: string;
  record: Base;
  one: string;
  /** What the remaining dependents do with traffic afterwards. */
  renderStays?: (dependents: readonly Dependent[]) => React.ReactNode;
}

export function Dependents({ path, record, one, renderStays }: DependentsProps) {
  const query = useApiQuery(dependentsOf(path, record.id));
  if (query.isError) return <Failure thrown={query.error} title="The dependents could not be loaded" />;
  if (!query.data) return <p role="status">Loading dependents…</p>;
  const of = (role: Dependent["on_delete"]) => query.data.filter((dependent) => dependent.on_delete === role);
  const [refuses, goes, remaining] = [of("refuses"), of("goes"), of("stays")];
  if (query.data.length === 0) return <p>Nothing refers to it.</p>;
  return (
    <>
      {refuses.length > 0 && (
        <Notice tone="bad" title={`In use: the server will refuse to delete this ${one}`}>
          <p>Remove the references first:</p>
          <List dependents={refuses} />
        </Notice>
      )}
      {remaining.length > 0 && (
        <Notice tone="warn" title="These keep referring to it">
          {renderStays?.(remaining)}
          <List dependents={remaining} />
        </Notice>
      )}
      {goes.length > 0 && (
        <Notice tone="info" title="These are deleted with it">
          <List dependents={goes} />
        </Notice>
      )}
      {query.data.length === MAX_DEPENDENTS && <p>There may be more than these {MAX_DEPENDENTS}.</p>}
    </>
  );
}

export function List({ dependents }: { dependents: readonly Dependent[] }) {
  return (
    <ul className={styles.list}>
      {dependents.slice(0, SHOWN).map((dependent) => (
        <li key={`${dependent.id} ${dependent.module}`}>
          {kindLabelOfId(dependent.id) ?? dependent.kind.replaceAll("_", " ")}{" "}
          <RefLink id={dependent.id} parent={dependent.parent_id} />
          {dependent.module !== "" && ` (module ${labelOf(dependent.module)})`}
        </li>
      ))}
      {dependents.length > SHOWN && <li>and {dependents.length - SHOWN} more</li>}
    </ul>
  );
}

const labelOf = (module: string): string => MODULES.find(({ name }) => name === module)?.label ?? module;
