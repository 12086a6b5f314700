// The dialog of the requests pane that is open, if any.
import type { Summary } from "../api/types";
import { useActions } from "./actions";
import { DeleteAllDialog, DeleteSomeDialog, ExportDialog, NoteDialog } from "./Dialogs";
import { ShortcutsDialog } from "./ShortcutsDialog";
import type { ViewHandle } from "./useView";

export type OpenDialog = "all" | "keys" | "export" | "note" | { delete: readonly string[] };

interface RequestDialogsProps {
  dialog: OpenDialog | null;
  summary: Summary | undefined;
  filter: string;
  handle: ViewHandle;
  letters: boolean;
  onLetters(on: boolean): void;
  onClose(): void;
  /** Called when requests are about to be deleted. */
  onDeleting(): void;
}

export function RequestDialogs({
  dialog,
  summary,
  filter,
  handle,
  letters,
  onLetters,
  onClose,
  onDeleting,
}: RequestDialogsProps) {
  const { annotate, remove } = useActions();
  return (
    <>
      <DeleteAllDialog open={dialog === "all"} onClose={onClose} />
      {typeof dialog === "object" && dialog !== null && (
        <DeleteSomeDialog
          ids={dialog.delete}
          onClose={onClose}
          onConfirm={() => {
            onClose();
            void remove(dialog.delete);
            onDeleting();
          }}
        />
      )}
      {dialog === "export" && (
        <ExportDialog
          filter={handle.problem === null ? filter : ""}
          shown={handle.view.count + handle.view.waiting}
          onClose={onClose}
        />
      )}
      {dialog === "note" && summary && (
        <NoteDialog
          note={summary.note ?? ""}
          onClose={onClose}
          onSave={(note) => void annotate(summary.id, note).then((saved) => saved && onClose())}
        />
      )}
      <ShortcutsDialog open={dialog === "keys"} letters={letters} onLetters={onLetters} onClose={onClose} />
    </>
  );
}
