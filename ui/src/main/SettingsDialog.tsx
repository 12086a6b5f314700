// Settings: how things stand, trust in the local authority, and how the window looks.
import type { DesktopState } from "../host/host";
import { Dialog } from "../parts/Dialog";
import { Choice } from "../parts/Field";
import { useStored } from "../parts/hooks";
import { applyTheme, THEMES } from "../parts/theme";
import { AuthoritySettings } from "./AuthoritySettings";
import { useServices } from "../services";
import styles from "./Settings.module.css";
import { StandingSettings } from "./StandingSettings";

interface SettingsDialogProps {
  open: boolean;
  onClose(): void;
  desktop: DesktopState | null;
}

export function SettingsDialog({ open, onClose, desktop }: SettingsDialogProps) {
  const { host } = useServices();
  const [theme, setTheme] = useStored("theme", "system", THEMES);
  return (
    <Dialog title="Settings" open={open} onClose={onClose} wide>
      <StandingSettings desktop={desktop} />
      {host.desktop && desktop?.server.mode === "local" && (
        <AuthoritySettings desktop={desktop} app={host.desktop} />
      )}
      <section className={styles.section} aria-labelledby="looks-title">
        <h3 id="looks-title" className={styles.title}>
          Looks
        </h3>
        <Choice
          legend="Colours"
          value={theme}
          options={[
            { value: "system", label: "As the system" },
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" },
          ]}
          onChange={(next) => {
            setTheme(next);
            applyTheme(next);
          }}
        />
      </section>
    </Dialog>
  );
}
