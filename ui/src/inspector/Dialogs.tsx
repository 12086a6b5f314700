// Dialogs of the request list: deletion, notes and export.
import { useState } from "react";
import type { SummaryQuery } from "../api/agent";
import { counted } from "../model/format";
import { Button } from "../parts/Button";
import { Dialog, DialogActions } from "../parts/Dialog";
import { Choice } from "../parts/Choice";
import { Field, TextArea } from "../parts/Field";
import { attempt, useServices } from "../services";
import { useActions } from "./actions";

export function DeleteAllDialog({ open, onClose }: { open: boolean; onClose(): void }) {
  const { model } = useServices();
  const all = counted(model.exchanges.size, "captured request");
  const confirm = async () => {
    if (await attempt("The requests could not be deleted", () => model.api.deleteAll())) onClose();
  };
  return (
    <Dialog title="Delete all requests?" open={open} onClose={onClose}>
      <p>
        The agent deletes {all} of all tunnels, including pinned ones. This cannot be undone. Tunnels and
        connections are not affected.
      </p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button weight="danger" icon="trash" onClick={() => void confirm()}>
          Delete all
        </Button>
      </DialogActions>
    </Dialog>
  );
}

interface DeleteSomeProps {
  ids: readonly string[];
  onClose(): void;
  onConfirm(): void;
}

export function DeleteSomeDialog({ ids, onClose, onConfirm }: DeleteSomeProps) {
  return (
    <Dialog title={`Delete ${counted(ids.length, "request")}?`} open onClose={onClose}>
      <p>The agent forgets {ids.length === 1 ? "it" : "them"}. This cannot be undone.</p>
      <DialogActions>
        <Button onClick={onClose}>Keep {ids.length === 1 ? "it" : "them"}</Button>
        <Button weight="danger" icon="trash" onClick={onConfirm}>
          Delete
        </Button>
      </DialogActions>
    </Dialog>
  );
}

interface NoteDialogProps {
  note: string;
  onClose(): void;
  onSave(note: string): void;
}

export function NoteDialog({ note, onClose, onSave }: NoteDialogProps) {
  const [text, setText] = useState(note);
  return (
    <Dialog
      title="Note on the request"
      description="Stored by the agent as long as it runs; filter with note:…"
      open
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSave(text.trim());
        }}
      >
        <Field label="Note">
          <TextArea
            rows={4}
            maxLength={2000}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onSave(text.trim());
            }}
          />
        </Field>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button weight="primary" type="submit">
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

const SECRETS = [
  { value: "hide", label: "Without secrets" },
  { value: "show", label: "With secrets" },
] as const;
const MAX_EXPORTED = 10_000;

interface ExportDialogProps {
  filter: string;
  shown: number;
  onClose(): void;
}

export function ExportDialog({ filter, shown, onClose }: ExportDialogProps) {
  const { exportHar } = useActions();
  const [secrets, setSecrets] = useState<"hide" | "show">("hide");
  const save = async () => {
    const query: Partial<SummaryQuery> = {
      limit: MAX_EXPORTED,
      ...(filter.trim() === "" ? {} : { filter }),
    };
    if (await exportHar(query, secrets)) onClose();
  };
  return (
    <Dialog title="Save as a HAR file" open onClose={onClose}>
      <p>
        {filter.trim() === "" ? "All captured requests" : `Requests that match ${filter}`}:{" "}
        {shown > MAX_EXPORTED ? `the newest ${counted(MAX_EXPORTED, "request")}` : counted(shown, "request")}.
      </p>
      <Choice legend="Secrets" value={secrets} options={SECRETS} onChange={(next) => setSecrets(next)} />
      <p>
        {secrets === "hide"
          ? "Authorization, cookies, keys and tokens in headers and addresses become placeholders. Bodies stay as they are."
          : "Anyone with the file can use every credential in it."}
      </p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button weight={secrets === "hide" ? "primary" : "danger"} icon="export" onClick={() => void save()}>
          Save
        </Button>
      </DialogActions>
    </Dialog>
  );
}
