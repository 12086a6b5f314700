// Names and values in two columns; secret values stay hidden until they are asked for, one by one or all.
import { useState } from "react";
import { hidden, isSecret } from "../model/secrets";
import type { Header } from "../model/wire";
import { Button } from "../parts/Button";
import styles from "./PairTable.module.css";

interface PairTableProps {
  label: string;
  pairs: readonly Header[];
  /** Hide the values of secrets; left out for what has no secrets by its name. */
  masked?: boolean;
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
        {pairs.map(({ name, value }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- names repeat, the order is fixed
          <tr key={index}>
            <th scope="row">{name}</th>
            <td>{masked && isSecret(name) && value !== "" ? <Secret name={name} value={value} /> : value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Secret({ name, value }: { name: string; value: string }) {
  const [shown, setShown] = useState(false);
  return (
    <span className={styles.secret}>
      <span>{shown ? value : hidden(name, value)}</span>
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
