// Bodies that are more than text: forms, multipart forms, images. Nothing captured is ever run as a page.
import { useMemo, useState } from "react";
import { formFields, multipartParts, type Body, type Part } from "../../model/body";
import { decodeText, toBase64, utf8 } from "../../model/bytes";
import { size } from "../../model/format";
import { Hex } from "../../parts/Hex";
import styles from "./BodyView.module.css";
import { PairTable } from "../PairTable";

export function FormFields({ body }: { body: Body }) {
  return <PairTable label="Form fields" pairs={formFields(body)} />;
}

/** As an `img` a picture can neither run scripts nor load anything, SVG included. */
export function ImagePreview({ body }: { body: Body }) {
  const [failed, setFailed] = useState(false);
  const source = useMemo(() => `data:${body.media.type};base64,${toBase64(body.bytes)}`, [body]);
  if (failed) return <p className={styles.none}>This image cannot be shown. Look at it as hex.</p>;
  return (
    <div className={styles.image}>
      <img src={source} alt="The captured body" onError={() => setFailed(true)} />
    </div>
  );
}

export function Parts({ body }: { body: Body }) {
  const parts = useMemo(() => multipartParts(body), [body]);
  if (parts === null) return <p className={styles.none}>No part begins in this body. Look at it as text.</p>;
  return (
    <ul className={styles.parts}>
      {parts.map((part, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- parts may share a name
        <li key={index}>
          <p className={styles.partName}>
            <b>{part.name || "(no name)"}</b>
            {part.fileName !== null && <span>{part.fileName}</span>}
            <span>
              {part.type} · {size(part.bytes.length)}
            </span>
          </p>
          <PartBody part={part} />
        </li>
      ))}
    </ul>
  );
}

const PREVIEW = 4000;

function PartBody({ part }: { part: Part }) {
  if (/^image\/(?:png|jpeg|gif|webp|avif)$/.test(part.type)) {
    return (
      <ImagePreview
        body={{ kind: "image", media: { type: part.type, parameters: new Map() }, bytes: part.bytes }}
      />
    );
  }
  const start = part.bytes.subarray(0, PREVIEW);
  if (utf8(start) === null || start.includes(0)) {
    return (
      <div className={styles.partHex}>
        <Hex bytes={part.bytes} label={`Part ${part.name}`} />
      </div>
    );
  }
  return (
    <pre className={styles.partText}>
      {decodeText(start, null)}
      {part.bytes.length > PREVIEW && "…"}
    </pre>
  );
}
