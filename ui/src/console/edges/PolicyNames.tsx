// The names of IP policies; deleted ones are marked.
import type { Body } from "../modules/descriptor";
import { useReferenceOptions } from "../modules/inputs/ReferenceInput";
import { idsOf } from "../modules/texts";
import { RefLink } from "../resource/cells";
import styles from "./StageColumn.module.css";

export function PolicyNames({ view }: { view: Body }) {
  const known = useReferenceOptions("ip_policies");
  return (
    <span className={styles.refs}>
      {idsOf(view["ip_policies"]).map((id) => {
        const found = known?.find((record) => record.id === id);
        if (known && !found) return <span key={id}>deleted policy: counts as a policy without rules</span>;
        return (
          <RefLink key={id} id={id}>
            {found?.name ?? id}
          </RefLink>
        );
      })}
    </span>
  );
}
