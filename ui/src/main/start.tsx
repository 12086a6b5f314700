// The main window of the desktop app; in a browser it works against the agent it was loaded from.
import { start } from "../start";
import { MainPage } from "./MainPage";

void start(<MainPage />);
