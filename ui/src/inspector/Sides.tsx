// The bodies of the request and the response: beside each other where there is room, otherwise one below the other.
import { BodyView } from "./bodies/BodyView";
import styles from "./Sides.module.css";

interface SidesProps {
  id: string;
  complete: boolean;
  onMessages?: () => void;
}

export function Sides({ id, complete, onMessages }: SidesProps) {
  return (
    <div className={styles.sides}>
      <section className={styles.side} aria-label="Request body">
        <h3 className={styles.title}>Request</h3>
        <div className={styles.body}>
          <BodyView id={id} side="request" complete={complete} />
        </div>
      </section>
      <section className={styles.side} aria-label="Response body">
        <h3 className={styles.title}>Response</h3>
        <div className={styles.body}>
          <BodyView id={id} side="response" complete={complete} {...(onMessages ? { onMessages } : {})} />
        </div>
      </section>
    </div>
  );
}
