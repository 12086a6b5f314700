// The `.proto` files that this browser keeps: what is wrong in them, adding and removing.
import { useRef } from "react";
import { counted, size } from "../../model/format";
import {
  MAX_PROTO_BYTES,
  MAX_PROTO_FILES,
  packageOf,
  protoBytes,
  type ProtoSource,
} from "../../model/protoFiles";
import { Button, IconButton } from "../../parts/Button";
import { Dialog, DialogActions } from "../../parts/Dialog";
import { FileDrop } from "../../parts/FileDrop";
import { Notice } from "../../parts/Notice";
import styles from "./ProtoView.module.css";
import type { ProtoProblem } from "./reading/protoTypes";
import { protoFiles } from "./useProto";

interface ProtoFilesDialogProps {
  files: readonly ProtoSource[];
  problems: readonly ProtoProblem[];
  /** Why files were not added. */
  refusal: string | null;
  onFiles(files: readonly File[]): void;
  onClose(): void;
}

export function ProtoFilesDialog({ files, problems, refusal, onFiles, onClose }: ProtoFilesDialogProps) {
  return (
    <Dialog
      title=".proto files"
      description="They give the fields of messages their names and types. This browser keeps them for all windows of the inspector; they are sent to no server."
      open
      wide
      onClose={onClose}
    >
      <FileDrop className={styles.dialog} hint="Drop .proto files to add them" onFiles={onFiles}>
        {refusal !== null && (
          <Notice alert tone="bad" title="The files were not added">
            <p>{refusal}</p>
          </Notice>
        )}
        {files.length === 0 ? (
          <p className={styles.text}>No files.</p>
        ) : (
          <ul className={styles.files} aria-label="Added .proto files">
            {files.map((file) => (
              <FileRow
                key={`${packageOf(file)} ${file.name}`}
                file={file}
                problems={problems.filter((problem) => problem.file === file.name)}
              />
            ))}
          </ul>
        )}
        <div className={styles.adding}>
          <ChooseProtoButton label="Add files…" onFiles={onFiles} />
          <span className={styles.text}>
            {files.length} of {MAX_PROTO_FILES} files, {size(protoBytes(files))} of {size(MAX_PROTO_BYTES)}. A
            file of the same name and package is replaced.
          </span>
        </div>
      </FileDrop>
      <DialogActions>
        {files.length > 1 && (
          <Button weight="danger" icon="trash" onClick={() => protoFiles.removeAll()}>
            Remove {counted(files.length, "file")}
          </Button>
        )}
        <Button weight="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function FileRow({ file, problems }: { file: ProtoSource; problems: readonly ProtoProblem[] }) {
  const name = packageOf(file);
  return (
    <li className={styles.file}>
      <b>{file.name}</b>
      <span className={styles.text}>
        {name === "" ? "no package" : name} · {size(protoBytes([file]))}
      </span>
      <IconButton label={`Remove ${file.name}`} icon="trash" onClick={() => protoFiles.remove(file)} />
      {problems.map((problem) => (
        <p key={`${problem.line} ${problem.text}`} className={styles.problem}>
          {problem.line !== null && `Line ${problem.line.toLocaleString("en")}: `}
          {problem.text}
        </p>
      ))}
    </li>
  );
}

export function problemText({ file, line, text }: ProtoProblem): string {
  return `${file}${line === null ? "" : `, line ${line.toLocaleString("en")}`}: ${text}`;
}

export function ChooseProtoButton({
  label,
  onFiles,
}: {
  label: string;
  onFiles(files: readonly File[]): void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept=".proto"
        aria-label=".proto files"
        onChange={({ target }) => {
          const chosen = [...(target.files ?? [])];
          target.value = "";
          if (chosen.length > 0) onFiles(chosen);
        }}
      />
      <Button icon="import" onClick={() => input.current?.click()}>
        {label}
      </Button>
    </>
  );
}
