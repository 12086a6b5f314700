// Tunnels of this computer's agent and what comes through them, inside the console.
import { MainPage } from "../../main/MainPage";

export default function AgentArea() {
  return <MainPage inShell />;
}
