// Above the list: the filter box, common filters, pause, delete and help.
import type { RefObject } from "react";
import { setTerm, valueOf } from "../model/filter";
import { counted } from "../model/format";
import { Button, IconButton } from "../parts/Button";
import { Menu, type MenuAction } from "../parts/Menu";
import { Select } from "../parts/Select";
import { useAgent } from "../services";
import { FilterBox } from "./FilterBox";
import styles from "./Toolbar.module.css";
import type { ViewHandle } from "./useView";
import { SavedViews } from "./SavedViews";

interface ToolbarProps {
  box: RefObject<HTMLInputElement | null>;
  filter: string;
  onFilter(filter: string): void;
  handle: ViewHandle;
  tunnels: readonly string[];
  paused: boolean;
  onPause(): void;
  /** Actions on all requests in the list. */
  actions: readonly MenuAction[];
  onHelp(): void;
}

export function Toolbar(props: ToolbarProps) {
  const { box, filter, onFilter, handle, tunnels, paused, onPause, actions, onHelp } = props;
  const { filling } = useAgent();
  return (
    <div className={styles.toolbar} role="search" aria-label="Requests">
      <FilterBox box={box} filter={filter} onFilter={onFilter} problem={handle.problem} done={handle.done} />
      <div className={styles.usual}>
        <SavedViews filter={filter} onFilter={onFilter} />
        {tunnels.length > 1 && (
          <Select
            className={styles.tunnels}
            label="Tunnel"
            value={valueOf(filter, "tunnel") ?? ""}
            options={[
              { value: "", label: "All tunnels" },
              ...tunnels.map((name) => ({ value: name, label: name })),
            ]}
            onChange={(name) => onFilter(setTerm(filter, "tunnel", name || null))}
          />
        )}
      </div>
      <div className={styles.right}>
        <span className={styles.count}>
          {counted(handle.view.count + handle.view.waiting, "request")}
          {filling && "…"}
        </span>
        <Button
          weight="quiet"
          icon={paused ? "play" : "pause"}
          aria-pressed={paused}
          title="Pause or follow (p)"
          onClick={onPause}
        >
          <span className={styles.word}>{paused ? "Follow" : "Pause"}</span>
        </Button>
        <IconButton label="Keys" icon="question" onClick={onHelp} />
        <Menu trigger={<IconButton label="Actions on all requests" icon="more" />} actions={actions} />
      </div>
    </div>
  );
}
