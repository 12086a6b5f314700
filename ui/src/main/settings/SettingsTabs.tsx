// All settings by subject. In a browser only those that the agent offers.
import { useState } from "react";
import type { DesktopState } from "../../api/desktop.generated";
import { Tabs } from "../../parts/Tabs";
import { useServices } from "../../services";
import { AuthoritySettings } from "./AuthoritySettings";
import { StatusSettings } from "./StatusSettings";
import { ConfigurationSettings } from "./ConfigurationSettings";
import { DiagnosisSettings } from "./DiagnosisSettings";
import { AppearanceSettings } from "./AppearanceSettings";
import { BehaviourSettings } from "./BehaviourSettings";
import { ServerSettings } from "./ServerSettings";
import { StorageSettings } from "./StorageSettings";

const COMMON_TOPICS = [
  { value: "status", label: "Status" },
  { value: "configuration", label: "Configuration" },
  { value: "diagnosis", label: "Diagnosis" },
  { value: "appearance", label: "Appearance" },
] as const;
const DESKTOP_TOPICS = [
  { value: "server", label: "Server" },
  { value: "behaviour", label: "Startup and notifications" },
  { value: "storage", label: "Data and logs" },
] as const;

type Topic = (typeof COMMON_TOPICS)[number]["value"] | (typeof DESKTOP_TOPICS)[number]["value"];

export function SettingsTabs({ desktop }: { desktop: DesktopState | null }) {
  const { host } = useServices();
  const [topic, setTopic] = useState<Topic>("status");
  const items = host.desktop
    ? [
        COMMON_TOPICS[0],
        DESKTOP_TOPICS[0],
        COMMON_TOPICS[1],
        ...DESKTOP_TOPICS.slice(1),
        ...COMMON_TOPICS.slice(2),
      ]
    : COMMON_TOPICS;
  return (
    <Tabs label="Settings" value={topic} onChange={(next) => setTopic(next as Topic)} items={items}>
      {topic === "status" && (
        <>
          <StatusSettings desktop={desktop} />
          {host.desktop && desktop?.server.mode === "local" && (
            <AuthoritySettings desktop={desktop} app={host.desktop} />
          )}
        </>
      )}
      {topic === "configuration" && <ConfigurationSettings />}
      {topic === "diagnosis" && <DiagnosisSettings />}
      {topic === "appearance" && <AppearanceSettings />}
      {topic === "server" && host.desktop && <ServerSettings desktop={desktop} app={host.desktop} />}
      {topic === "behaviour" && host.desktop && <BehaviourSettings app={host.desktop} />}
      {topic === "storage" && host.desktop && <StorageSettings app={host.desktop} />}
    </Tabs>
  );
}
