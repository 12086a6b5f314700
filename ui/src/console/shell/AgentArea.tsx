// The tunnels of this computer's agent and their captured requests, inside the console.
import { MainPage } from "../../main/MainPage";
import { useNavigateTo } from "../address";

export default function AgentArea() {
  const go = useNavigateTo();
  return <MainPage inShell onSettings={() => go("/settings")} />;
}
