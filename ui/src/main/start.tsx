// The main window of the desktop app, with the console around it. In a browser it uses the agent that served it,
// and there is no console.
import type { ReactNode } from "react";
import { inDesktop } from "../host";
import { start } from "../start";

/** All parts of one page are loaded together, and the other page not at all. */
async function page(): Promise<ReactNode> {
  if (!inDesktop()) {
    const { MainPage } = await import("./MainPage");
    return <MainPage />;
  }
  const [{ default: Console }] = await Promise.all([
    import("../console/Console"),
    // The area that the console opens first.
    import("../console/shell/AgentArea"),
  ]);
  return <Console />;
}

void start(page());
