// Settings over the page.
import type { DesktopState } from "../api/desktop.generated";
import { Dialog } from "../parts/Dialog";
import { SettingsTabs } from "./settings/SettingsTabs";

interface SettingsDialogProps {
  open: boolean;
  onClose(): void;
  desktop: DesktopState | null;
}

export function SettingsDialog({ open, onClose, desktop }: SettingsDialogProps) {
  return (
    <Dialog title="Settings" open={open} onClose={onClose} wide steady>
      <SettingsTabs desktop={desktop} />
    </Dialog>
  );
}
