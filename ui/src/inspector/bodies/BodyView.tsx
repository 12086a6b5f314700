// A body in the ways its kind can be looked at; the bytes themselves are always one choice away.
import { useMemo, useState } from "react";
import { adviceFor } from "../../model/advice";
import { bodyText, type BodyKind } from "../../model/body";
import type { Message } from "../../model/details";
import { size } from "../../model/format";
import { parseJson, type JsonResult } from "../../model/json";
import { jsonLines, textLines } from "../../model/lines";
import { Button } from "../../parts/Button";
import { Hex } from "../../parts/Hex";
import { JsonTree } from "../../parts/JsonTree";
import { Lines } from "../../parts/Lines";
import { Notice, ProblemText } from "../../parts/Notice";
import { useCopy } from "../../services";
import styles from "./BodyView.module.css";
import { useDetail } from "../useDetail";
import { FormFields, ImagePreview, Parts } from "./BodyShapes";

const WAYS = {
  empty: [],
  json: ["Pretty", "Tree", "Text", "Hex"],
  form: ["Fields", "Text", "Hex"],
  multipart: ["Parts", "Text", "Hex"],
  image: ["Image", "Hex"],
  text: ["Text", "Hex"],
  binary: ["Hex"],
} as const satisfies Record<BodyKind, readonly string[]>;

export interface BodyViewProps {
  /** The exchange. */
  id: string;
  side: "request" | "response";
  /** Nothing more comes; while it does, what was read is read again when this changes. */
  complete: boolean;
}

export function BodyView({ id, side, complete }: BodyViewProps) {
  const reading = useDetail(id, complete);
  if (reading.state === "reading") return <p className={styles.none}>Reading…</p>;
  if (reading.state === "failed") {
    const { code, message } = reading.problem;
    return (
      <Notice tone="bad" title="This body cannot be shown">
        <ProblemText message={message} advice={adviceFor(reading.problem)} code={code} />
      </Notice>
    );
  }
  const message = reading.detail[side];
  if (message === null) {
    return (
      <p className={styles.none}>
        {reading.detail.captured.error ?? "The local service has not answered yet."}
      </p>
    );
  }
  return <Body message={message} what={side} />;
}

function Body({ message, what }: { message: Message; what: string }) {
  const { body } = message;
  const ways: readonly string[] =
    body.media.type === "image/svg+xml" ? ["Image", "Text", "Hex"] : WAYS[body.kind];
  const [chosen, setChosen] = useState(ways[0] ?? "Hex");
  const copy = useCopy();
  const way = ways.includes(chosen) ? chosen : (ways[0] ?? "Hex");
  const json = useMemo(() => (body.kind === "json" ? parseJson(bodyText(body)) : null), [body]);
  const notes = message.cut
    ? ["Cut: only the beginning of this body was captured.", ...message.notes]
    : message.notes;

  if (body.kind === "empty") {
    return (
      <p className={styles.none}>
        {message.cut ? "None of this body was captured." : `This ${what} has no body.`}
      </p>
    );
  }
  return (
    <div className={styles.body}>
      <div className={styles.bar}>
        <span className={styles.type}>
          {body.media.type || "no content type"} · {size(body.bytes.length)}
        </span>
        <div className={styles.ways} role="group" aria-label={`View the ${what} body as`}>
          {ways.map((name) => (
            <button
              key={name}
              type="button"
              className={styles.way}
              aria-pressed={name === way}
              onClick={() => setChosen(name)}
            >
              {name}
            </button>
          ))}
        </div>
        <Button weight="quiet" icon="copy" onClick={() => void copy(bodyText(body), "Body")}>
          Copy
        </Button>
      </div>
      {notes.length > 0 && <p className={message.cut ? styles.cut : styles.notes}>{notes.join(" ")}</p>}
      {json && !json.ok && way !== "Hex" && (
        <div className={styles.mistake}>
          <Notice
            tone="warn"
            title={`Not valid JSON: line ${json.mistake.line}, column ${json.mistake.column}`}
          >
            <p>{json.mistake.message}. The text is shown as it is.</p>
          </Notice>
        </div>
      )}
      <div className={styles.content}>
        <Shown message={message} way={way} json={json} label={`${what} body`} />
      </div>
    </div>
  );
}

function Shown({
  message,
  way,
  json,
  label,
}: {
  message: Message;
  way: string;
  json: JsonResult | null;
  label: string;
}) {
  const { body } = message;
  const lines = useMemo(() => {
    if (way === "Pretty" && json?.ok) return jsonLines(json.root);
    return way === "Hex" || way === "Image" ? [] : textLines(bodyText(body));
  }, [way, json, body]);
  if (way === "Hex") return <Hex bytes={body.bytes} label={label} />;
  if (way === "Tree" && json?.ok) return <JsonTree root={json.root} label={label} />;
  if (way === "Fields") return <FormFields body={body} />;
  if (way === "Parts") return <Parts body={body} />;
  if (way === "Image") return <ImagePreview body={body} />;
  return <Lines lines={lines} label={label} />;
}
