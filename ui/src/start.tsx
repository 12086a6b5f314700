// Starts a page: host, model, theme, and a React root with an error page.
import { CSPProvider } from "@base-ui/react/csp-provider";
import { Component, StrictMode, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { findHost } from "./host";
import type { Host } from "./host/host";
import { AgentModel } from "./model/agentModel";
import "./parts/tokens.css";
import "./parts/starting.css";
import { Notice } from "./parts/Notice";
import { followTheme } from "./parts/theme";
import { Toasts } from "./parts/toast";
import { ServicesProvider } from "./services";

export async function start(
  page: ReactNode | Promise<ReactNode>,
  find: () => Host | Promise<Host> = findHost,
): Promise<void> {
  followTheme();
  const host = await find();
  const model = new AgentModel(host);
  if (host.agent) model.start();
  const shown = await page;
  const root = document.getElementById("root");
  if (!root) throw new Error("the page has a #root");
  createRoot(root).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <ServicesProvider host={host} model={model}>
          <Rescue>{shown}</Rescue>
          <Toasts />
        </ServicesProvider>
      </CSPProvider>
    </StrictMode>,
  );
}

class Rescue extends Component<{ children: ReactNode }, { message: string | null }> {
  override state = { message: null };

  static getDerivedStateFromError(thrown: unknown) {
    return { message: thrown instanceof Error ? thrown.message : String(thrown) };
  }

  override render() {
    if (this.state.message === null) return this.props.children;
    return (
      <main>
        <h1 className="unseen">Postern</h1>
        <Notice
          tone="bad"
          title="An error occurred in this window"
          actions={
            <button type="button" onClick={() => location.reload()}>
              Reload the window
            </button>
          }
        >
          <p>Your tunnels are not affected. {this.state.message}</p>
        </Notice>
      </main>
    );
  }
}
