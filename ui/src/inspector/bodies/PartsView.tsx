// The parts of a multipart body: a list, and the selected part in the views of its own kind.
import { useEffect, useState } from "react";
import { size } from "../../model/format";
import { headerValue, mediaType } from "../../model/httpMessage";
import { ByteSlice, type Content } from "./content";
import { BodyContent } from "./BodyContent";
import styles from "./BodyView.module.css";
import type { Origin } from "./messageChoice";
import { MAX_PARTS, type MultipartBody } from "./reading/multipart";
import { messageOf } from "./useReading";

/** Maximum depth of nested multipart bodies. */
const MAX_DEPTH = 3;

interface PartsViewProps {
  content: Content;
  boundary: string;
  label: string;
  origin: Origin | null;
  depth: number;
}

export function PartsView({ content, boundary, label, origin, depth }: PartsViewProps) {
  const [found, setFound] = useState<MultipartBody | null | { failure: string } | "reading">("reading");
  const [selected, setSelected] = useState(0);
  useEffect(() => {
    let active = true;
    content
      .load()
      .then(() => content.worker.call("parts", boundary))
      .then(
        (parts) => active && setFound(parts),
        (thrown: unknown) => active && setFound({ failure: messageOf(thrown) }),
      );
    return () => {
      active = false;
    };
  }, [content, boundary]);
  if (found === "reading") return <p className={styles.none}>Loading…</p>;
  if (found === null || "failure" in found)
    return (
      <p className={styles.none}>
        {found === null ? "This body contains no parts. View it as text." : found.failure}
      </p>
    );
  const { parts, more, complete } = found;
  const part = parts[selected];
  const notes = [
    more ? `Only the first ${MAX_PARTS.toLocaleString("en")} parts are listed.` : "",
    complete || more ? "" : "The closing boundary is missing: the last part may be incomplete.",
  ].filter(Boolean);
  return (
    <div className={styles.parts}>
      {notes.length > 0 && <p className={styles.notes}>{notes.join(" ")}</p>}
      <ul className={styles.partList} aria-label={`Parts of the ${label}`}>
        {parts.map((each, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- parts may share a name
          <li key={index}>
            <button
              type="button"
              className={styles.part}
              aria-pressed={index === selected}
              onClick={() => setSelected(index)}
            >
              <b>{each.name || `Part ${index + 1}`}</b>
              {each.fileName !== null && <span>{each.fileName}</span>}
              <span>{mediaType(headerValue(each.headers, "content-type")).type || "text/plain"}</span>
              <span>{size(each.to - each.from)}</span>
            </button>
          </li>
        ))}
      </ul>
      {part !== undefined && (
        <div className={styles.partBody}>
          {depth >= MAX_DEPTH ? (
            <p className={styles.none}>Nested parts are not opened any deeper.</p>
          ) : (
            <BodyContent
              key={selected}
              source={new ByteSlice(content, part.from, part.to)}
              headers={part.headers}
              encoding={null}
              what={part.name ? `part ${part.name}` : `part ${selected + 1}`}
              origin={origin}
              notes={[]}
              cut={false}
              depth={depth + 1}
            />
          )}
        </div>
      )}
    </div>
  );
}
