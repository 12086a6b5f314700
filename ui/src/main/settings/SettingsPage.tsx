// Settings as a page of the console.
import { PageFrame } from "../../console/resource/PageFrame";
import { useDesktopState } from "../../services";
import { SettingsTabs } from "./SettingsTabs";

export default function SettingsPage() {
  return (
    <PageFrame title="Settings">
      <SettingsTabs desktop={useDesktopState()} />
    </PageFrame>
  );
}
