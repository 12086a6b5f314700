// A reading from the moment it is requested: the wait, its notes and mistakes, its rows.
import { useEffect, useState } from "react";
import { Notice } from "../../parts/Notice";
import { Pager } from "../../parts/Pager";
import { Wait } from "../../parts/Wait";
import styles from "./BodyView.module.css";
import { Content, ByteSlice, MAX_READ_BYTES } from "./content";
import type { ReadingOptions } from "./reading/open";
import { RowsView } from "./RowsView";
import { useReading } from "./useReading";

interface ReadingViewProps {
  content: Content;
  label: string;
  rowStyle: "lines" | "tree" | "fields";
  options: ReadingOptions;
}

export function ReadingView({ content, label, rowStyle, options }: ReadingViewProps) {
  const opening = useReading(content, options);
  if (opening.state === "opening") return <Wait className={styles.none}>Loading…</Wait>;
  if (opening.state === "failed") return <p className={styles.none}>{opening.message}</p>;
  const { handle, opened } = opening;
  const { mistake } = opened;
  return (
    <div className={styles.reading}>
      {opened.notes.length > 0 && <p className={styles.notes}>{opened.notes.join(" ")}</p>}
      {mistake && (
        <div className={styles.mistake}>
          <Notice
            tone="warn"
            title={`Not valid ${options.as === "XML" ? "XML" : "JSON"}: line ${mistake.line.toLocaleString("en")}, column ${mistake.column.toLocaleString("en")}`}
          >
            <p>
              {mistake.message}.{" "}
              {options.as === "XML"
                ? "The readable part is shown."
                : rowStyle === "tree"
                  ? "The part before it is shown; the text view marks the position."
                  : options.as === "Pretty"
                    ? "From there on the text is unformatted."
                    : "The position is marked."}
            </p>
          </Notice>
        </div>
      )}
      {handle.count === 0 ? (
        <p className={styles.none}>This view has nothing to show. View it as text or hex.</p>
      ) : (
        <div className={styles.rows}>
          <RowsView
            key={opened.reading}
            handle={handle}
            rowStyle={rowStyle}
            label={label}
            first={mistake?.row ?? null}
          />
        </div>
      )}
    </div>
  );
}

interface TextViewProps {
  content: Content;
  label: string;
  charset: string | null;
  json: boolean;
}

const PAGE = 4 * 1024 * 1024;

/** Text of any length; a text above the limit is shown in pages. */
export function TextView({ content, label, charset, json }: TextViewProps) {
  if (content.length <= MAX_READ_BYTES)
    return (
      <ReadingView
        content={content}
        label={label}
        rowStyle="lines"
        options={{ as: "Text", charset, columns: 120, json }}
      />
    );
  return <PagedText content={content} label={label} charset={charset} />;
}

function PagedText({ content, label, charset }: Omit<TextViewProps, "json">) {
  const [page, setPage] = useState(0);
  const from = page * PAGE;
  const to = Math.min(from + PAGE, content.length);
  return (
    <div className={styles.reading}>
      <Pager
        what={label}
        page={page}
        pages={Math.ceil(content.length / PAGE)}
        shown={`Bytes ${from.toLocaleString("en")} to ${(to - 1).toLocaleString("en")}`}
        onPage={setPage}
      />
      <OnePage key={page} content={content} from={from} to={to} label={label} charset={charset} />
    </div>
  );
}

interface OnePageProps extends Omit<TextViewProps, "json"> {
  from: number;
  to: number;
}

function OnePage({ content, from, to, label, charset }: OnePageProps) {
  const [part, setPart] = useState<Content | null>(null);
  useEffect(() => {
    const opened = Content.part(new ByteSlice(content, from, to));
    // oxlint-disable-next-line react/set-state-in-effect -- the reading lives as long as this effect
    setPart(opened);
    return () => opened.close();
  }, [content, from, to]);
  if (part === null) return <Wait className={styles.none}>Loading…</Wait>;
  return (
    <div className={styles.rows}>
      <ReadingView
        content={part}
        label={label}
        rowStyle="lines"
        options={{ as: "Text", charset, columns: 120, json: false }}
      />
    </div>
  );
}
