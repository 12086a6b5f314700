// The notification server of the test session: records which notifications were shown and withdrawn.
import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "./wait.mjs";

const PROGRAM = path.join(path.dirname(fileURLToPath(import.meta.url)), "notification_server.py");
const NAME = "org.freedesktop.Notifications";

export class Notes {
  shown = [];
  withdrawn = [];

  static async begin(session) {
    const notes = new Notes();
    notes.session = session;
    notes.child = spawn("/usr/bin/python3", ["-u", PROGRAM], { env: session.env, stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    notes.child.stdout.on("data", (piece) => {
      text += piece;
      const lines = text.split("\n");
      text = lines.pop();
      for (const line of lines) {
        const { event, ...rest } = JSON.parse(line);
        if (event === "shown") notes.shown.push(rest);
        else notes.withdrawn.push(rest.id);
      }
    });
    await until("the notification server is running", () => session.hasName(NAME));
    return notes;
  }

  /** Waits for a notification whose title matches. */
  saying(title, timeoutMs = 30_000) {
    return until(`a notification has the title ${title}`, () => this.shown.find((note) => title.test(note.title)), timeoutMs);
  }

  /** Clicks a notification. */
  click({ id }) {
    return this.session.call(NAME, "/org/freedesktop/Notifications", `${NAME}.TestClick`, String(id));
  }

  end() {
    this.child.kill("SIGTERM");
  }
}
