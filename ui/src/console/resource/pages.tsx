// The pages of every kind: its list, a creation form, and a page for each record.
import type { RouteComponent } from "@tanstack/react-router";
import type { Kind } from "./kind";
import { CreatePage } from "./CreatePage";
import { ListPage } from "./ListPage";
import { RecordPage } from "./RecordPage";

export function recordPages(kind: Kind): Readonly<Record<string, RouteComponent>> {
  return {
    "": () => <ListPage kind={kind} />,
    ...(kind.live ? {} : { new: () => <CreatePage kind={kind} /> }),
    $id: () => <RecordPage kind={kind} />,
  };
}
