// Tests whether the selected policies admit an address, and by which rule, before anything is saved.
import { collection } from "../../api/management";
import { useId, useState } from "react";
import { counted } from "../../model/format";
import { Notice } from "../../parts/Notice";
import { State } from "../../parts/State";
import { allQuery, useApiQuery } from "../management";
import { RefLink } from "../resource/cells";
import styles from "./ModuleForm.module.css";
import { evaluatePolicies } from "./evaluatePolicies";

/** Polling interval in milliseconds: rules may change in another window. */
const POLL_INTERVAL_MS = 4_000;

export function PolicyTester({ policies }: { policies: readonly string[] }) {
  const id = useId();
  const [address, setAddress] = useState("");
  const { data } = useApiQuery(allQuery(collection("/ip_policy_rules"), { every: POLL_INTERVAL_MS }));
  if (!data || policies.length === 0) return null;
  const rules = data.records.filter((rule) => policies.includes(rule.ip_policy.id));
  if (data.next === null && !rules.some(({ action }) => action === "allow"))
    return (
      <Notice tone="warn" title="No rule of these policies allows any address: every visitor is refused." />
    );
  const verdict = evaluatePolicies(address, rules);
  return (
    <div className={styles.tester}>
      <label htmlFor={id}>Try an address</label>
      <input
        id={id}
        value={address}
        placeholder="203.0.113.7"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setAddress(event.target.value)}
      />
      <p role="status" className={styles.verdict}>
        {address.trim() === "" ? (
          `${counted(rules.length, "rule")} together.`
        ) : verdict === null ? (
          "Enter one IPv4 or IPv6 address."
        ) : verdict.passes === "by country" ? (
          "The server decides by the country of the address, which is not known here."
        ) : (
          <>
            <State tone={verdict.passes ? "ok" : "bad"} icon={verdict.passes ? "check" : "cross"}>
              {verdict.passes ? "Admitted" : "Refused"}
            </State>
            {verdict.rule ? (
              <span>
                by {verdict.rule.action} <RefLink id={verdict.rule.ip_policy.id}>{verdict.rule.cidr}</RefLink>
              </span>
            ) : (
              "no rule allows it"
            )}
          </>
        )}
      </p>
    </div>
  );
}
