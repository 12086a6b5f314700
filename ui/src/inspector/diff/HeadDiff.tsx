// Start lines and headers of two messages: the differences, without those that always occur.
import { useMemo, useState } from "react";
import { mask, isSecret } from "../../model/secrets";
import { readStored, storeText } from "../../model/storage";
import { Button } from "../../parts/Button";
import type { BodyOf } from "../bodies/message";
import { escapeDeceptive } from "../bodies/reading/rows";
import styles from "./DiffView.module.css";
import { compareHeaders, DEFAULT_IGNORED, type HeaderRow } from "./reading/headers";

const STORED = "diff-ignored";

export function HeadDiff({ before, after }: { before: BodyOf; after: BodyOf }) {
  const [ignored, setIgnored] = useState(() => readStored(STORED) ?? DEFAULT_IGNORED.join(", "));
  const [all, setAll] = useState(false);
  const [editing, setEditing] = useState(false);
  const rows = useMemo(
    () =>
      compareHeaders(
        [...before.headers, ...before.trailers],
        [...after.headers, ...after.trailers],
        ignored.split(","),
      ),
    [before, after, ignored],
  );
  const differing = rows.filter(({ state, ignored: skipped }) => state !== "same" && !skipped);
  const skipped = rows.filter((row) => row.ignored).length;
  const shown = all ? rows : differing;
  const store = (words: string) => {
    setIgnored(words);
    storeText(STORED, words);
  };
  const firstDiffers = before.startLine !== after.startLine;
  return (
    <section className={styles.head} aria-label="Differences in the head">
      <div className={styles.title}>
        <h3>Head</h3>
        <span>
          {differing.length === 0
            ? "no header differs"
            : `${differing.length} ${differing.length === 1 ? "header differs" : "headers differ"}`}
          {skipped > 0 && `, ${skipped} ignored`}
        </span>
        <Button weight="quiet" aria-pressed={all} onClick={() => setAll(!all)}>
          {all ? "Only differences" : "All headers"}
        </Button>
        <Button weight="quiet" aria-expanded={editing} onClick={() => setEditing(!editing)}>
          Ignored headers
        </Button>
      </div>
      {editing && (
        <label className={styles.ignored}>
          <span>Headers whose differences are ignored</span>
          <textarea rows={2} value={ignored} onChange={({ target }) => store(target.value)} />
          <Button weight="quiet" onClick={() => store(DEFAULT_IGNORED.join(", "))}>
            Reset to default
          </Button>
        </label>
      )}
      <table className={styles.table} aria-label="Start line and headers">
        <thead>
          <tr>
            <th scope="col">Of</th>
            <th scope="col">Older</th>
            <th scope="col">Newer</th>
          </tr>
        </thead>
        <tbody>
          <tr className={firstDiffers ? styles.changed : undefined}>
            <th scope="row">Start line</th>
            <td>
              <Words text={before.startLine} />
            </td>
            <td>{firstDiffers ? <Words text={after.startLine} /> : <Same />}</td>
          </tr>
          {shown.map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- names repeat, the order is fixed
            <Compared key={index} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Compared({ row }: { row: HeaderRow }) {
  const { name, state } = row;
  const shown = (value: string) => (isSecret(name) && value !== "" ? mask(name, value) : value);
  // A difference between secrets is stated but not shown.
  const className = state === "same" || row.ignored ? undefined : styles[state];
  return (
    <tr className={className}>
      <th scope="row">
        <Words text={name} />
        {row.ignored && <span className={styles.faint}> ignored</span>}
      </th>
      <td>{row.before === null ? <Missing /> : <Words text={shown(row.before)} />}</td>
      <td>
        {row.after === null ? <Missing /> : state === "same" ? <Same /> : <Words text={shown(row.after)} />}
      </td>
    </tr>
  );
}

const SHOWN = 2_000;

function Words({ text }: { text: string }) {
  return (
    <bdi>
      {escapeDeceptive("plain", text.slice(0, SHOWN)).map(([kind, piece], index) => (
        // oxlint-disable-next-line react/no-array-index-key -- pieces have no other identity
        <span key={index} className={kind === "odd" ? styles.odd : undefined}>
          {piece}
        </span>
      ))}
      {text.length > SHOWN && "…"}
    </bdi>
  );
}

function Missing() {
  return <span className={styles.faint}>absent</span>;
}

function Same() {
  return <span className={styles.faint}>identical</span>;
}
