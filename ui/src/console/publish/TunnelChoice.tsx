// Chooses among the tunnels that edges can reach: those with labels.
import { mapped } from "../../model/format";
import { Button } from "../../parts/Button";
import { Choice } from "../../parts/Choice";
import { Group } from "../../parts/Field";
import { useCopy } from "../../services";
import { readLabels } from "./labels";
import styles from "./publish.module.css";
import type { PublishState } from "./usePublish";

interface TunnelChoiceProps {
  tunnels: PublishState["tunnels"];
  value: string;
  mistake: string | null;
  onChange(value: string): void;
}

export const START_COMMAND = "postern tunnel --label app=shop localhost:8080";

export function TunnelChoice({
  tunnels: { options, isLoading },
  value,
  mistake,
  onChange,
}: TunnelChoiceProps) {
  // A chosen tunnel that has disconnected can still be published: it is reached when it is back.
  const isGone = value !== "" && !options.some((option) => option.value === value);
  const shown = isGone
    ? [...options, { value, label: mapped(readLabels(value)), note: "not connected now" }]
    : options;
  if (shown.length > 0)
    return (
      <Choice
        legend="Tunnel"
        isList
        hint="An edge reaches tunnels by their labels. All connected tunnels with these labels share the visitors."
        value={value}
        options={shown}
        mistake={mistake}
        onChange={onChange}
      />
    );
  return (
    <Group label="Tunnel" mistake={mistake}>
      {isLoading ? <p role="status">Loading tunnels…</p> : <NoTunnel />}
    </Group>
  );
}

function NoTunnel() {
  const copy = useCopy();
  return (
    <div className={styles.noTunnel}>
      <p role="status">
        No tunnel with labels is connected. Start one beside your service, and it appears here; or choose
        “Tunnels by labels” to publish before it is started.
      </p>
      <p className={styles.command}>
        <code>{START_COMMAND}</code>
        <Button icon="copy" onClick={() => void copy(START_COMMAND, "The command")}>
          Copy
        </Button>
      </p>
    </div>
  );
}
