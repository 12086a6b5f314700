// Names and values in two columns; secret values stay masked until revealed, one by one or all at once.
import { useState } from "react";
import { MASK, mask, isSecret } from "../model/secrets";
import type { Header } from "../model/httpMessage";
import { Button } from "../parts/Button";
import styles from "./PairTable.module.css";

interface PairTableProps {
  label: string;
  /** A note after the value. */
  pairs: readonly (Header & { note?: string })[];
  /** Masks the values of secrets, or all of them; omitted where names do not reveal secrets. */
  masked?: boolean | "all";
}

export function PairTable({ label, pairs, masked = false }: PairTableProps) {
  return (
    <table className={styles.table} aria-label={label}>
      <thead className="unseen">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {pairs.map(({ name, value, note }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- names repeat, the order is fixed
          <tr key={index}>
            <th scope="row">{name}</th>
            <td>
              {masked && (masked === "all" || isSecret(name)) && value !== "" ? (
                <Secret name={name} value={value} veil={masked === "all" ? MASK : mask(name, value)} />
              ) : (
                value
              )}
              {note && <span className={styles.note}> {note}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Secret({ name, value, veil }: { name: string; value: string; veil: string }) {
  const [shown, setShown] = useState(false);
  return (
    <span className={styles.secret}>
      <span>{shown ? value : veil}</span>
      <Button
        weight="quiet"
        icon={shown ? "lock" : "eye"}
        aria-label={`${shown ? "Hide" : "Reveal"} ${name}`}
        onClick={() => setShown(!shown)}
      >
        {shown ? "Hide" : "Reveal"}
      </Button>
    </span>
  );
}
