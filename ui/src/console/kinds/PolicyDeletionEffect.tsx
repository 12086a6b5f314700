// What edges and restrictions do after the deletion of an IP policy that they reference.
import type { Dependent, IpPolicy, Ref } from "../../api/generated";
import { apiQuery, useApiQuery } from "../management";
import { RefLink } from "../resource/cells";
import styles from "../resource/Dependents.module.css";
import { pathOfId } from "../resource/idPaths";

interface PolicyReference {
  dependent: Dependent;
  /** Number of other policies it references. */
  others: number;
}

/** Reads the other policies of each dependent restriction or module. */
function policyReferences(policy: IpPolicy, dependents: readonly Dependent[]) {
  return apiQuery<PolicyReference[]>(["/ip_policies", "naming", policy.id, dependents], (api) =>
    Promise.all(
      dependents.map(async (dependent) => {
        const page = pathOfId(dependent.id, dependent.parent_id) ?? "";
        const path = dependent.module === "" ? page : `${page}/${dependent.module}`;
        const { ip_policies: named } = (await api.send("GET", path)) as { ip_policies: Ref[] };
        return { dependent, others: named.filter(({ id }) => id !== policy.id).length };
      }),
    ),
  );
}

export function PolicyDeletionEffect({
  record,
  dependents,
}: {
  record: IpPolicy;
  dependents: readonly Dependent[];
}) {
  const query = useApiQuery(policyReferences(record, dependents));
  const unprotected = query.data?.filter(({ others }) => others === 0) ?? [];
  return (
    <>
      <p>They then treat it as a policy without rules, which admits no one.</p>
      {unprotected.length > 0 && (
        <>
          <p>
            <strong>
              {unprotected.length === 1 ? "This one names" : "These name"} no other policy and will refuse
              every visitor:
            </strong>
          </p>
          <ul className={styles.list} aria-label="Will refuse every visitor">
            {unprotected.map(({ dependent }) => (
              <li key={`${dependent.id} ${dependent.module}`}>
                <RefLink id={dependent.id} parent={dependent.parent_id} />
              </li>
            ))}
          </ul>
          <p>All that keep referring to it:</p>
        </>
      )}
    </>
  );
}
