// The connected tunnels on the page of their tunnel group.
import type { TunnelGroupBackend } from "../../api/generated";
import { quote } from "../../model/snippets/curl";
import { Empty } from "../resource/ListPage";
import { Section } from "../resource/PageFrame";
import { ResourceTable } from "../resource/ResourceTable";
import { tunnels } from "./liveViews";

export function GroupTunnels({ record: group }: { record: TunnelGroupBackend }) {
  const members = new Set(group.tunnels.map(({ id }) => id));
  const labels = Object.entries(group.labels).map(([key, value]) => `--label ${quote(`${key}=${value}`)}`);
  const command = `postern tunnel ${labels.join(" ")} localhost:8080`;
  return (
    <Section title="Tunnels" about="Connected tunnels with all labels of this group.">
      <ResourceTable
        kind={tunnels}
        only={({ id }) => members.has(id)}
        prefix="tunnels."
        empty={
          <Empty
            kind={{ ...tunnels, empty: { sentence: "No tunnel with these labels is connected.", command } }}
            action={null}
          />
        }
      />
    </Section>
  );
}
