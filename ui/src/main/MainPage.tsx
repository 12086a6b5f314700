// Tunnels on one side, their captured requests on the other.
import { useState } from "react";
import { ConfigurationNotice, ConnectionNotice, SessionState } from "../inspector/SessionState";
import { RequestsPane } from "../inspector/RequestsPane";
import { setTerm } from "../model/filter";
import { Brand } from "../parts/Brand";
import { Button } from "../parts/Button";
import { useAddressState } from "../parts/hooks";
import { attempt, useAgent, useDesktopState, useServices } from "../services";
import styles from "./MainPage.module.css";
import { ProgramNotices } from "./ProgramNotices";
import { SettingsDialog } from "./SettingsDialog";
import { TrustOffer } from "./TrustOffer";
import { Tunnels } from "./Tunnels";

interface MainPageProps {
  inShell?: boolean;
  /** Opens the settings; by default over the page. */
  onSettings?: () => void;
}

export function MainPage({ inShell = false, onSettings }: MainPageProps) {
  const { host, model } = useServices();
  const { connection: link } = useAgent();
  const desktop = useDesktopState();
  const [filter, setFilter] = useAddressState("filter");
  const [selected, setSelected] = useAddressState("request");
  const [settings, setSettings] = useState(false);
  const [side, setSide] = useState<"tunnels" | "requests">("tunnels");

  const showRequests = (name: string) => {
    setFilter((before) => setTerm(before, "tunnel", name));
    setSide("requests");
  };
  const showFirst = (name: string) => {
    showRequests(name);
    setSelected(model.exchanges.newestOf(name) ?? "");
  };

  // In the shell the area is part of its main content.
  const Main = inShell ? "div" : "main";
  const restart = host.desktop && link === "lost" && (
    <Button
      icon="refresh"
      onClick={() =>
        void attempt("The agent could not be restarted", async () => host.desktop?.restartPart("agent"))
      }
    >
      Restart the agent
    </Button>
  );
  return (
    <div className={styles.page} data-side={side}>
      <header className={styles.header}>
        {inShell ? <h1 className={styles.title}>Tunnels of this computer</h1> : <Brand />}
        <SessionState />
        <div className={styles.buttons}>
          <Button
            icon="search"
            onClick={() =>
              void attempt("The inspector could not be opened", () =>
                host.openInspector({ tunnel: null, request: selected || null }),
              )
            }
          >
            Inspector
          </Button>
          <Button icon="settings" onClick={onSettings ?? (() => setSettings(true))}>
            Settings
          </Button>
        </div>
      </header>
      <ProgramNotices desktop={desktop} />
      <ConnectionNotice actions={restart || undefined} />
      <ConfigurationNotice />
      <TrustOffer desktop={desktop} />
      <nav className={styles.sides} aria-label="Sides">
        <Button aria-pressed={side === "tunnels"} onClick={() => setSide("tunnels")}>
          Tunnels
        </Button>
        <Button aria-pressed={side === "requests"} onClick={() => setSide("requests")}>
          Requests
        </Button>
      </nav>
      <Main className={styles.main}>
        <Tunnels onRequests={showRequests} onFirst={showFirst} />
        <section className={styles.requests} aria-label="Requests">
          <RequestsPane
            filter={filter}
            onFilter={setFilter}
            selected={selected || null}
            onSelect={(id) => setSelected(id ?? "")}
          />
        </section>
      </Main>
      <SettingsDialog open={settings} onClose={() => setSettings(false)} desktop={desktop} />
    </div>
  );
}
