// The services of every view: the host, the model, and snapshots that cause a rendering when they change.
import { createContext, use, useEffect, useState, useSyncExternalStore, type ReactNode } from "react";
import type { DesktopState } from "./api/desktop.generated";
import type { Host } from "./host/host";
import { asProblem } from "./api/problem";
import { adviceFor } from "./model/advice";
import type { AgentModel, AgentSnapshot } from "./model/agentModel";
import { toast } from "./parts/toast";

export interface Services {
  host: Host;
  model: AgentModel;
}

const Context = createContext<Services | null>(null);

export function ServicesProvider({ host, model, children }: Services & { children: ReactNode }) {
  return <Context value={{ host, model }}>{children}</Context>;
}

export function useServices(): Services {
  const services = use(Context);
  if (!services) throw new Error("the page is rendered inside ServicesProvider");
  return services;
}

export function useAgent(): AgentSnapshot {
  const { model } = useServices();
  return useSyncExternalStore(model.listen, () => model.snapshot);
}

/** The state of the desktop app; null in a browser and until it is known. */
export function useDesktopState(): DesktopState | null {
  const { host } = useServices();
  const [state, setState] = useState<DesktopState | null>(null);
  useEffect(() => {
    if (!host.desktop) return undefined;
    let received = false;
    const stop = host.desktop.onState((next) => {
      received = true;
      setState(next);
    });
    host.desktop.state().then(
      (first) => !received && setState(first),
      () => {},
    );
    return stop;
  }, [host]);
  return state;
}

/** Runs an action of the user; a failure is always shown, with its code and advice. */
export async function attempt(what: string, action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (thrown) {
    const problem = asProblem(thrown);
    const detail = [problem.message, adviceFor(problem), problem.code && `(${problem.code})`]
      .filter(Boolean)
      .join(" ");
    toast({ title: what, detail, tone: "bad" });
    return false;
  }
}

export function useCopy(): (text: string, what: string) => Promise<boolean> {
  const { host } = useServices();
  return async (text, what) => {
    const copied = await attempt(`${what} could not be copied`, () => host.copyText(text));
    if (copied) toast({ title: `${what} copied` });
    return copied;
  };
}
