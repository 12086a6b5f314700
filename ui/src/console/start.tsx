// The console's page at the server.
import { consoleHost } from "../host/console";
import { useServices } from "../services";
import { start } from "../start";
import Console from "./Console";

function ConsolePage() {
  const { host } = useServices();
  return host.management && <Console management={host.management} agent={host.agent} />;
}

void start(<ConsolePage />, consoleHost);
