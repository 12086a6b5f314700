// The inspector: a window of the desktop app, and the page at the agent's address.
import { start } from "../start";
import { InspectorPage } from "./InspectorPage";

void start(<InspectorPage />);
