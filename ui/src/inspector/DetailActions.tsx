// Buttons and menus with the actions on the selected request.
import type { Summary } from "../api/types";
import { tunnelName } from "../model/filter";
import { Button, IconButton } from "../parts/Button";
import { Menu, type MenuAction } from "../parts/Menu";
import { useAgent } from "../services";
import { COPY_FORMATS, onlyRequest, useActions, type CopyFormat } from "./actions";
import styles from "./RequestDetail.module.css";

interface DetailActionsProps {
  summary: Summary;
  cut: boolean;
  editing: boolean;
  onEdit(editing: boolean): void;
  onNote(): void;
  onDelete(): void;
}

export function DetailActions({ summary, cut, editing, onEdit, onNote, onDelete }: DetailActionsProps) {
  const { replay, copyAs, pin, exportHar } = useActions();
  const { tunnels } = useAgent();
  const { id } = summary;
  const own = tunnelName(summary.tunnel_name);
  const others = tunnels.filter(
    ({ name, state, definition }) =>
      name !== own && state === "running" && !["tcp", "tls"].includes(definition.proto ?? ""),
  );
  const targets: MenuAction[] = [
    { label: "To the local service", icon: "replay", run: () => void replay({ id }) },
    { label: "Through the edge", icon: "replay", run: () => void replay({ id, through: "edge" }) },
    ...others.map(({ name }) => ({
      label: `To ${name}`,
      icon: "replay" as const,
      run: () => void replay({ id, tunnel_name: name }),
    })),
  ];
  return (
    <div className={styles.actions}>
      {/* The editor has a button of its own that sends. */}
      {!editing && (
        <span className={styles.replay}>
          <Button
            weight="primary"
            icon="replay"
            disabled={cut}
            title={
              cut
                ? "A truncated request can be replayed only with another body: edit it"
                : "Send this request again (r)"
            }
            onClick={() => void replay({ id })}
          >
            Replay
          </Button>
          <Menu
            trigger={<IconButton label="More ways to replay" icon="chevron" disabled={cut} />}
            title="Replay"
            actions={targets}
          />
        </span>
      )}
      <Button icon="edit" aria-pressed={editing} title="Edit and replay (e)" onClick={() => onEdit(!editing)}>
        Edit
      </Button>
      <IconButton
        label={summary.pinned ? "Unpin" : "Pin"}
        title={`${summary.pinned ? "Unpin" : "Pin: it is evicted last"} (m)`}
        icon="pin"
        aria-pressed={summary.pinned === true}
        onClick={() => void pin(id, !summary.pinned)}
      />
      <span className={styles.copy}>
        <IconButton
          label="Copy the request as curl"
          title="Copy the request as curl (c)"
          icon="copy"
          onClick={() => void copyAs(id, "curl", false)}
        />
        <Menu
          trigger={<IconButton label="Copy as" icon="chevron" />}
          title="Copy as"
          actions={(Object.keys(COPY_FORMATS) as CopyFormat[]).map((kind) => ({
            label: COPY_FORMATS[kind].label,
            icon: "copy",
            run: () => void copyAs(id, kind, false),
          }))}
        />
      </span>
      <Menu
        trigger={<IconButton label="More about this request" icon="more" />}
        actions={[
          { label: summary.note ? "Edit note…" : "Add note…", icon: "note", run: onNote },
          {
            label: "Save as HAR, without secrets",
            icon: "export",
            run: () => void exportHar(onlyRequest(id), "hide"),
          },
          { label: "Delete", icon: "trash", danger: true, run: onDelete },
        ]}
      />
    </div>
  );
}
