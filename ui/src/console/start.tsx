// The console's page on the server.
import { consoleHost } from "../host/console";
import { start } from "../start";
import Console from "./Console";

void start(<Console />, consoleHost);
