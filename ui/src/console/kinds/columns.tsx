// Columns that several kinds share.
import type { Base } from "../../api/management";
import { State } from "../../parts/State";
import { Moment, RefLink } from "../resource/cells";
import type { Column } from "../resource/kind";

export const created: Column = {
  name: "created_at",
  label: "Created",
  text: (record) => record.created_at ?? "",
  cell: (record) => <Moment at={record.created_at} />,
};

export const owner: Column<Base & { owner_id: string }> = {
  name: "owner_id",
  label: "Owner",
  text: (record) => record.owner_id,
  cell: (record) => <RefLink id={record.owner_id} />,
};

/** Yes or no, never by colour alone. */
export function YesNo({ yes, words }: { yes: boolean; words: readonly [yes: string, no: string] }) {
  return (
    <State tone={yes ? "ok" : "idle"} icon={yes ? "check" : "circle"}>
      {words[yes ? 0 : 1]}
    </State>
  );
}
