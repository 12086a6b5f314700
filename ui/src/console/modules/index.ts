// All modules in the order in which the edge runs them: from the visitor to the backend, and then those for the
// response. Each file in `descriptors/` describes a module and its stage.
import type { ModuleDescriptor, Owner } from "./descriptor";

const FILES = import.meta.glob<ModuleDescriptor[]>("./descriptors/*.ts", { eager: true, import: "default" });

export const MODULES: readonly ModuleDescriptor[] = Object.values(FILES)
  .flat()
  .toSorted((one, other) => one.stage - other.stage);

/** The stages before and at the backend, and those of the response, for a kind of owner. */
export function stagesOf(owner: Owner): { inward: ModuleDescriptor[]; outward: ModuleDescriptor[] } {
  const modules = modulesOf(owner);
  return {
    inward: modules.filter(({ changesResponses }) => !changesResponses),
    outward: modules.filter(({ changesResponses }) => changesResponses),
  };
}

export function modulesOf(owner: Owner): ModuleDescriptor[] {
  return MODULES.filter((module) => module.owners.includes(owner));
}

/** A route can have only one of these enabled. */
export const LOGINS: readonly string[] = MODULES.filter(({ isLogin }) => isLogin).map(({ name }) => name);
