// The tunnels of this computer's agent and their captured requests, inside the console.
import { MainPage } from "../../main/MainPage";

export default function AgentArea() {
  return <MainPage inShell />;
}
