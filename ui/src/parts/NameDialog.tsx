// Asks for a name under which something is saved.
import { useState } from "react";
import { Button } from "./Button";
import { Dialog, DialogActions } from "./Dialog";
import { Field, Input } from "./Field";

interface NameDialogProps {
  title: string;
  description: string;
  onClose(): void;
  onSave(name: string): void;
}

export function NameDialog({ title, description, onClose, onSave }: NameDialogProps) {
  const [name, setName] = useState("");
  const [tried, setTried] = useState(false);
  const given = name.trim();
  return (
    <Dialog title={title} description={description} open onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (given !== "") onSave(given);
        }}
      >
        <Field label="Name of the view" mistake={tried && given === "" ? "Enter a name." : null}>
          <Input value={name} maxLength={60} onChange={(event) => setName(event.target.value)} />
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
