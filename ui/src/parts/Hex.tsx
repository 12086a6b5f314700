// Bytes as offset, hexadecimal and characters.
import { hexLine } from "../model/lines";
import styles from "./Hex.module.css";
import { Rows } from "./Lines";

export function Hex({ bytes, label }: { bytes: Uint8Array; label: string }) {
  return (
    <Rows count={Math.ceil(bytes.length / 16)} label={label}>
      {(row) => {
        const { offset, hex, text } = hexLine(bytes, row);
        return (
          <span className={styles.row}>
            <span className={styles.offset}>{offset}</span>
            <span>{hex}</span>
            <span className={styles.text}>{text}</span>
          </span>
        );
      }}
    </Rows>
  );
}
