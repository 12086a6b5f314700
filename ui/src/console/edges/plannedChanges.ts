// Changes to a module that need a confirmation: turn on, turn off, remove.
import { bodyOf, draftOf, maskedBody } from "../form/draft";
import type { Body } from "../form/field";
import type { ModuleDescriptor } from "../modules/descriptor";
import type { PlannedChange } from "./ChangeDialog";

/** The body that turns a module on or off: all its settings, and the new `enabled`. */
export function switched(module: ModuleDescriptor, view: Body, enabled: boolean): Body {
  return { enabled, ...bodyOf(module, draftOf(module, view), view) };
}

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
    shown: maskedBody(module, body),
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
      "Its modules and their settings are deleted with it. Requests for these paths go to the next matching route, or get 404.",
      ...warnings,
    ],
    verb: "Delete",
    icon: "trash",
    danger: true,
    done: "Route deleted",
  };
}
