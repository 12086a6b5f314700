// The main window of the desktop app, with the console around it; in a browser it works against the agent it was
// loaded from, and there is no console.
import { lazy, Suspense } from "react";
import { useServices } from "../services";
import { start } from "../start";
import { MainPage } from "./MainPage";

const Console = lazy(() => import("../console/Console"));

function MainWindow() {
  const { host } = useServices();
  if (!host.management) return <MainPage />;
  return (
    <Suspense fallback={null}>
      <Console management={host.management} agent={host.agent} />
    </Suspense>
  );
}

void start(<MainWindow />);
