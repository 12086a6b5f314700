// The last requests of a tunnel, on its page.
import type { Tunnel } from "../../api/generated";
import { Section } from "../resource/PageFrame";
import { RequestsView } from "./RequestsView";

export function TunnelRequests({ record: tunnel }: { record: Tunnel }) {
  return (
    <Section title="Requests" about="The last ones that reached this tunnel.">
      <RequestsView path={`/tunnels/${tunnel.id}`} />
    </Section>
  );
}
