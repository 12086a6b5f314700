// The inspector's frame: the agent's address, the state of the feed, and the requests.
import { useEffect } from "react";
import { setTerm } from "../model/filter";
import { Brand } from "../parts/Brand";
import { Button } from "../parts/Button";
import { setSearchParam, useAddressState } from "../parts/hooks";
import { useServices } from "../services";
import { ConnectionNotice, SessionState } from "./SessionState";
import styles from "./InspectorPage.module.css";
import { MemoryGauge } from "./MemoryGauge";
import { RequestsPane } from "./RequestsPane";

export function InspectorPage() {
  const { host } = useServices();
  const [filter, setFilter] = useAddressState("filter");
  const [selected, setSelected] = useAddressState("request");

  useEffect(
    () =>
      host.onInspectorTarget(({ tunnel, request }) => {
        if (tunnel !== null) setFilter((before) => setTerm(before, "tunnel", tunnel));
        if (request !== null) setSelected(request);
        // The tunnel is part of the filter now; a reload must not set it again.
        setSearchParam("tunnel", "");
      }),
    [host, setFilter, setSelected],
  );

  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <Brand name="Inspector" />
        <SessionState />
        <MemoryGauge />
        {host.kind === "browser" && (
          <Button weight="quiet" icon="list" onClick={() => location.assign("./index.html")}>
            Tunnels
          </Button>
        )}
      </header>
      <ConnectionNotice />
      <main className={styles.main}>
        <RequestsPane
          filter={filter}
          onFilter={setFilter}
          selected={selected || null}
          onSelect={(id) => setSelected(id ?? "")}
        />
      </main>
    </div>
  );
}
