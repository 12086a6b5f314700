// All settings by subject. In a browser only those that the agent offers.
import { useState } from "react";
import type { DesktopState } from "../../host/host";
import { Tabs } from "../../parts/Tabs";
import { useServices } from "../../services";
import { AuthoritySettings } from "../AuthoritySettings";
import { StandingSettings } from "../StandingSettings";
import { ConfigurationSettings } from "./ConfigurationSettings";
import { DiagnosisSettings } from "./DiagnosisSettings";
import { LooksSettings } from "./LooksSettings";
import { MannersSettings } from "./MannersSettings";
import { ServerSettings } from "./ServerSettings";
import { StorageSettings } from "./StorageSettings";

const EVERYWHERE = [
  { value: "status", label: "Status" },
  { value: "configuration", label: "Configuration" },
  { value: "diagnosis", label: "Diagnosis" },
  { value: "looks", label: "Appearance" },
] as const;
const OF_THE_DESKTOP = [
  { value: "server", label: "Server" },
  { value: "manners", label: "Startup and notifications" },
  { value: "storage", label: "Data and logs" },
] as const;

type Topic = (typeof EVERYWHERE)[number]["value"] | (typeof OF_THE_DESKTOP)[number]["value"];

export function SettingsTabs({ desktop }: { desktop: DesktopState | null }) {
  const { host } = useServices();
  const [topic, setTopic] = useState<Topic>("status");
  const items = host.desktop
    ? [EVERYWHERE[0], OF_THE_DESKTOP[0], EVERYWHERE[1], ...OF_THE_DESKTOP.slice(1), ...EVERYWHERE.slice(2)]
    : EVERYWHERE;
  return (
    <Tabs label="Settings" value={topic} onChange={(next) => setTopic(next as Topic)} items={items}>
      {topic === "status" && (
        <>
          <StandingSettings desktop={desktop} />
          {host.desktop && desktop?.server.mode === "local" && (
            <AuthoritySettings desktop={desktop} app={host.desktop} />
          )}
        </>
      )}
      {topic === "configuration" && <ConfigurationSettings />}
      {topic === "diagnosis" && <DiagnosisSettings />}
      {topic === "looks" && <LooksSettings />}
      {topic === "server" && host.desktop && <ServerSettings desktop={desktop} app={host.desktop} />}
      {topic === "manners" && host.desktop && <MannersSettings app={host.desktop} />}
      {topic === "storage" && host.desktop && <StorageSettings app={host.desktop} />}
    </Tabs>
  );
}
