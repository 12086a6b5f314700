// The inspector's frame: who is asked, whether the list is live, and the requests.
import { useEffect, useState } from "react";
import { setTerm } from "../model/filter";
import { size } from "../model/format";
import { Brand } from "../parts/Brand";
import { Button } from "../parts/Button";
import { useAgent, useServices } from "../services";
import { LinkNotice, SessionState } from "./SessionState";
import styles from "./InspectorPage.module.css";
import { RequestsPane } from "./RequestsPane";

export function InspectorPage() {
  const { host } = useServices();
  const { status } = useAgent();
  const [filter, setFilter] = useState("");
  const [selected, setSelected] = useState<string | null>(null);

  useEffect(
    () =>
      host.onInspectorTarget(({ tunnel, request }) => {
        if (tunnel !== null) setFilter((before) => setTerm(before, "tunnel", tunnel));
        if (request !== null) setSelected(request);
      }),
    [host],
  );

  const capture = status?.capture;
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <Brand name="Inspector" />
        <SessionState />
        {capture && (
          <span
            className={styles.capture}
            title={capture.dropped > 0 ? `${capture.dropped} older requests made room` : undefined}
          >
            {size(capture.bytes)} of {size(capture.limit)} kept
          </span>
        )}
        {host.kind === "browser" && (
          <Button weight="quiet" icon="list" onClick={() => location.assign("./index.html")}>
            Tunnels
          </Button>
        )}
      </header>
      <LinkNotice />
      <main className={styles.main}>
        <RequestsPane filter={filter} onFilter={setFilter} selected={selected} onSelect={setSelected} />
      </main>
    </div>
  );
}
