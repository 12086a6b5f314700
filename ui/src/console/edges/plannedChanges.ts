// Changes to a module that need a confirmation: turn on, turn off, remove.
import type { Body, ModuleDescriptor } from "../modules/descriptor";
import { coveredBody, switched } from "../modules/form";
import type { PlannedChange } from "./ChangeDialog";

export function switchPlan(
  module: ModuleDescriptor,
  owner: string,
  view: Body,
  on: boolean,
  beside: string | null,
): PlannedChange {
  const body = switched(module, view, on);
  return {
    method: "PUT",
    path: `${owner}/${module.name}`,
    body,
    shown: coveredBody(module, body),
    title: `Turn ${on ? "on" : "off"} ${module.label}?`,
    sentences: on ? [module.about, ...(beside ? [beside] : [])] : [module.without, "Its settings are kept."],
    verb: on ? "Turn on" : "Turn off",
    icon: on ? "play" : "pause",
    danger: false,
    done: `${module.label} is ${on ? "on" : "off"}`,
  };
}

export function removalPlan(module: ModuleDescriptor, owner: string): PlannedChange {
  return {
    method: "DELETE",
    path: `${owner}/${module.name}`,
    title: `Remove ${module.label}?`,
    sentences: [module.without, "Its settings are deleted; to keep them, turn it off instead."],
    verb: "Remove",
    icon: "trash",
    danger: true,
    done: `${module.label} removed`,
  };
}

export function removalOfEdge(title: string, path: string, sentences: readonly string[]): PlannedChange {
  return {
    method: "DELETE",
    path,
    title: `Delete ${title}?`,
    sentences,
    verb: "Delete",
    icon: "trash",
    danger: true,
    done: "Edge deleted",
  };
}

export function removalOfRoute(shown: string, path: string, warnings: readonly string[]): PlannedChange {
  return {
    method: "DELETE",
    path,
    title: `Delete the route ${shown}?`,
    sentences: [
      "Its stages and their settings are deleted with it. Requests for these paths go to the next matching route, or get 404.",
      ...warnings,
    ],
    verb: "Delete",
    icon: "trash",
    danger: true,
    done: "Route deleted",
  };
}
