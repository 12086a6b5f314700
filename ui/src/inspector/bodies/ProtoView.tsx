// A protobuf or gRPC body: its message type, the `.proto` files that declare it, and its fields.
import { useState } from "react";
import { counted } from "../../model/format";
import type { MediaType } from "../../model/httpMessage";
import { Button } from "../../parts/Button";
import { FileDrop } from "../../parts/FileDrop";
import { Notice } from "../../parts/Notice";
import { Select } from "../../parts/Select";
import { Wait } from "../../parts/Wait";
import bodyStyles from "./BodyView.module.css";
import type { Content } from "./content";
import { messageChoice, type Origin } from "./messageChoice";
import { ChooseProtoButton, ProtoFilesDialog, problemText } from "./ProtoFilesDialog";
import styles from "./ProtoView.module.css";
import { ReadingView } from "./ReadingView";
import type { ReadingOptions } from "./reading/open";
import { NO_DECLARATIONS, protoFiles, useDeclarations, useProtoFiles } from "./useProto";

interface ProtoViewProps {
  content: Content;
  label: string;
  media: MediaType;
  /** Null for a message of a WebSocket. */
  origin: Origin | null;
  format: { as: "Protobuf" } | { as: "gRPC"; coding: string };
}

export function ProtoView({ content, label, media, origin, format }: ProtoViewProps) {
  const snapshot = useProtoFiles();
  const declarations = useDeclarations(content, snapshot);
  const [isOpen, setOpen] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const { files, choices } = snapshot;
  const description = declarations.state === "read" ? declarations.description : NO_DECLARATIONS;
  // The messages of one WebSocket share a type, and so do its parts of the same name.
  const of = origin === null ? "message" : `${label} ${origin.path}`;
  const isGrpc = format.as === "gRPC";
  const { type, reason } =
    files.length === 0
      ? { type: null, reason: null }
      : messageChoice(description, choices.get(of), origin, media.parameters, isGrpc);
  const add = async (chosen: readonly File[]) => setRefusal(await protoFiles.add(chosen));
  const [problem, ...further] = description.problems;
  return (
    <FileDrop
      className={styles.view}
      hint="Drop .proto files to see the names of fields"
      onFiles={(dropped) => void add(dropped)}
    >
      <div className={styles.bar}>
        {files.length === 0 ? (
          <>
            <span className={styles.text}>
              Names are unknown, types are guessed. Drop .proto files here, or
            </span>
            <ChooseProtoButton label="Add .proto files…" onFiles={(chosen) => void add(chosen)} />
          </>
        ) : (
          <>
            <Select
              className={styles.select}
              label={`Message type of the ${label}`}
              value={type ?? ""}
              options={[
                { value: "", label: "No message type: field numbers" },
                ...description.messages.map((name) => ({ value: name, label: name })),
              ]}
              onChange={(name) => protoFiles.choose(of, name)}
            />
            <span className={styles.text}>{type === null ? "" : reason}</span>
            <Button className={styles.last} weight="quiet" icon="note" onClick={() => setOpen(true)}>
              {counted(files.length, ".proto file")}
            </Button>
          </>
        )}
      </div>
      {refusal !== null && !isOpen && (
        <div className={styles.notice}>
          <Notice
            alert
            tone="bad"
            title="The files were not added"
            actions={<Button onClick={() => setRefusal(null)}>Close</Button>}
          >
            <p>{refusal}</p>
          </Notice>
        </div>
      )}
      {problem && (
        <p className={bodyStyles.cut}>
          {problemText(problem)}{" "}
          {further.length > 0 && (
            <Button weight="quiet" onClick={() => setOpen(true)}>
              Show {counted(further.length, "further problem")}
            </Button>
          )}
        </p>
      )}
      {declarations.state === "failed" && (
        <p className={bodyStyles.cut}>The .proto files were not read. {declarations.message}</p>
      )}
      {type === null && reason !== null && declarations.state === "read" && (
        <p className={bodyStyles.notes}>{reason}</p>
      )}
      <div className={styles.rows}>
        {declarations.state === "reading" ? (
          <Wait className={bodyStyles.none}>Loading…</Wait>
        ) : (
          <ReadingView
            content={content}
            label={label}
            rowStyle="tree"
            options={readingOptions(format, media, type, snapshot.revision)}
          />
        )}
      </div>
      {isOpen && (
        <ProtoFilesDialog
          files={files}
          problems={description.problems}
          refusal={refusal}
          onFiles={(chosen) => void add(chosen)}
          onClose={() => {
            setRefusal(null);
            setOpen(false);
          }}
        />
      )}
    </FileDrop>
  );
}

function readingOptions(
  format: ProtoViewProps["format"],
  { type: mediaType }: MediaType,
  messageType: string | null,
  revision: number,
): ReadingOptions {
  if (format.as === "Protobuf") return { as: "Protobuf", messageType, revision };
  return {
    as: "gRPC",
    coding: format.coding,
    words: mediaType.endsWith("+json"),
    base64: /-text(?:\+|$)/.test(mediaType),
    messageType,
    revision,
  };
}
