// A protobuf or gRPC body: its message type, the `.proto` files that declare it, and its fields.
import { useMemo, useState } from "react";
import { counted } from "../../model/format";
import type { Header, MediaType } from "../../model/httpMessage";
import { Button } from "../../parts/Button";
import { FileDrop } from "../../parts/FileDrop";
import { Notice } from "../../parts/Notice";
import { SearchSelect } from "../../parts/SearchSelect";
import { Select } from "../../parts/Select";
import { Wait } from "../../parts/Wait";
import bodyStyles from "./BodyView.module.css";
import type { Content } from "./content";
import { messageChoice, type Origin } from "./messageChoice";
import { choiceKey, messageReading } from "./messageReading";
import { ChooseProtoButton, ProtoFilesDialog, problemText } from "./ProtoFilesDialog";
import styles from "./ProtoView.module.css";
import { ReadingView } from "./ReadingView";
import type { MessageReading } from "./reading/open";
import { NO_DECLARATIONS, protoFiles, useDeclarations, useProtoFiles } from "./useProto";

interface ProtoViewProps {
  content: Content;
  label: string;
  media: MediaType;
  /** Null for a message of a WebSocket. */
  origin: Origin | null;
  headers: readonly Header[];
  as: MessageReading["as"];
}

export function ProtoView({ content, label, media, origin, headers, as }: ProtoViewProps) {
  const snapshot = useProtoFiles();
  const declarations = useDeclarations(content, snapshot);
  const [isOpen, setOpen] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const { files, choices } = snapshot;
  const description = declarations.state === "read" ? declarations.description : NO_DECLARATIONS;
  const of = choiceKey(label, origin);
  const { type, reason } =
    files.length === 0
      ? { type: null, reason: null }
      : messageChoice(description, choices.get(of), origin, media.parameters, as === "gRPC");
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
            {declarations.state === "reading" ? (
              <Wait className={styles.text}>Reading the .proto files…</Wait>
            ) : (
              <MessageTypeSelect
                label={`Message type of the ${label}`}
                value={type}
                names={description.messages}
                onChange={(name) => protoFiles.choose(of, name)}
              />
            )}
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
            options={messageReading(as, headers, media, type, snapshot.revision)}
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

/** Number of message types above which they are searched. */
const MAX_LISTED = 50;

interface MessageTypeSelectProps {
  label: string;
  value: string | null;
  names: readonly string[];
  onChange(name: string): void;
}

function MessageTypeSelect({ label, value, names, onChange }: MessageTypeSelectProps) {
  const options = useMemo(
    () => [
      { value: "", label: "No message type: field numbers" },
      ...names.map((name) => ({ value: name, label: name })),
    ],
    [names],
  );
  const given = { className: styles.select, label, value: value ?? "", options, onChange };
  return names.length > MAX_LISTED ? <SearchSelect {...given} /> : <Select {...given} />;
}
