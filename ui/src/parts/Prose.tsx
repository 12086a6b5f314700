// A sentence of a program, in which `x` marks something to type: it is shown as code.
import styles from "./Prose.module.css";

export function Prose({ text }: { text: string }) {
  // The parts at odd positions were between backticks.
  return text.split(/`([^`]+)`/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- the parts of a sentence keep their order
      <code key={index} className={styles.code}>
        {part}
      </code>
    ),
  );
}
