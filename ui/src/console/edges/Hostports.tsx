// The names or addresses of an edge, to copy.
import { Copyable, None } from "../resource/cells";
import styles from "./EdgeFrame.module.css";

const FEW = 3;

export function Hostports({ hostports }: { hostports: readonly string[] }) {
  if (hostports.length === 0) return <None>none: it cannot be reached</None>;
  return (
    <span className={styles.addresses}>
      {hostports.slice(0, FEW).map((hostport) => (
        <Copyable key={hostport} text={hostport} what={hostport} />
      ))}
      {hostports.length > FEW && <span>and {hostports.length - FEW} more</span>}
    </span>
  );
}
