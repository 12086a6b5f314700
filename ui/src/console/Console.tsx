// The console as a whole: the sign-in where one is needed, then the shell with its areas.
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect, useState, useSyncExternalStore } from "react";
import { managementApi } from "../api/management";
import type { Management } from "../host/host";
import { useServices } from "../services";
import { ManagementProvider, makeQueryClient } from "./management";
import { makeRouter } from "./router";
import { followPerson } from "./shell/personChange";
import { SignInPage } from "./shell/SignInPage";

export default function Console() {
  const { host } = useServices();
  return host.management && <Managed management={host.management} agent={host.agent} />;
}

function Managed({ management, agent }: { management: Management; agent: boolean }) {
  const [api] = useState(() => managementApi(management));
  const [client] = useState(makeQueryClient);
  const [router] = useState(() => makeRouter(agent));
  const { signIn } = management;
  const state = useSyncExternalStore(
    (changed) => signIn?.listen(changed) ?? (() => {}),
    () => signIn?.state ?? null,
  );
  useEffect(() => (signIn ? followPerson(signIn, client) : undefined), [signIn, client]);
  if (signIn && state && state.phase !== "in") return <SignInPage signIn={signIn} state={state} />;
  return (
    <QueryClientProvider client={client}>
      <ManagementProvider api={api}>
        <RouterProvider router={router} />
      </ManagementProvider>
    </QueryClientProvider>
  );
}
