// The console as a whole: the API key entry where one is needed, then the shell with its areas.
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect, useState, useSyncExternalStore } from "react";
import { managementApi } from "../api/management";
import type { Management } from "../host/host";
import { useServices } from "../services";
import { dropDrafts } from "./form/drafts";
import { ManagementProvider, makeQueryClient } from "./management";
import { publication } from "./publish/storage";
import { makeRouter } from "./router";
import { KeyEntry } from "./shell/KeyEntry";

export default function Console() {
  const { host } = useServices();
  return host.management && <Managed management={host.management} agent={host.agent} />;
}

function Managed({ management, agent }: { management: Management; agent: boolean }) {
  const [api] = useState(() => managementApi(management));
  const [client] = useState(makeQueryClient);
  const [router] = useState(() => makeRouter(agent));
  const { key } = management;
  const known = useSyncExternalStore(
    (changed) => key?.listen(changed) ?? (() => {}),
    () => key?.known ?? true,
  );
  const forget = () => {
    client.clear();
    dropDrafts();
  };
  useEffect(() => key?.listen(() => key.known || publication.lock(key.refused)), [key]);
  if (key && !known) return <KeyEntry entered={key} onEntered={forget} />;
  return (
    <QueryClientProvider client={client}>
      <ManagementProvider api={api}>
        <RouterProvider router={router} />
      </ManagementProvider>
    </QueryClientProvider>
  );
}
