// Confirms the removal of a tunnel from the configuration file.
import type { ConfiguredTunnel } from "../api/types";
import { Button } from "../parts/Button";
import { Dialog, DialogActions } from "../parts/Dialog";
import { attempt } from "../services";

interface RemoveDialogProps {
  tunnel: ConfiguredTunnel;
  remove(): Promise<unknown>;
  onClose(): void;
}

export function RemoveDialog({ tunnel, remove, onClose }: RemoveDialogProps) {
  const confirm = async () => {
    if (await attempt(`${tunnel.name} could not be removed`, remove)) onClose();
  };
  return (
    <Dialog title={`Remove ${tunnel.name}?`} open onClose={onClose}>
      <p>
        {tunnel.state === "running" ? "The tunnel stops, its open connections end" : "The tunnel"}
        {tunnel.state === "running" ? " and it" : ""}{" "}
        {tunnel.saved ? "is removed from the configuration file." : "is removed."} Captured requests stay.
      </p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button weight="danger" icon="trash" onClick={() => void confirm()}>
          Remove
        </Button>
      </DialogActions>
    </Dialog>
  );
}
