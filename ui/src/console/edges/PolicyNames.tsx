// The names of IP policies; deleted ones are marked.
import type { Body } from "../form/field";
import { useReferences } from "../form/references";
import { idsOf } from "../form/values";
import { IP_POLICIES } from "../kinds/references";
import { RefLink } from "../resource/cells";
import styles from "./StageColumn.module.css";

export function PolicyNames({ view }: { view: Body }) {
  const { candidates, loading, failed } = useReferences([IP_POLICIES]);
  return (
    <span className={styles.refs}>
      {idsOf(view["ip_policies"]).map((id) => {
        const found = candidates.find((record) => record.id === id);
        if (!found && !loading && !failed)
          return <span key={id}>deleted policy: counts as a policy without rules</span>;
        return (
          <RefLink key={id} id={id}>
            {found?.title ?? id}
          </RefLink>
        );
      })}
    </span>
  );
}
