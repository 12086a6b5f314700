// Whoever shows notifications in the test's session: takes them over the bus and remembers what was shown and withdrawn.
import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "./wait.mjs";

const PROGRAM = path.join(path.dirname(fileURLToPath(import.meta.url)), "notes.py");
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
    await until("somebody shows notifications", async () => {
      const bus = "org.freedesktop.DBus";
      return (await session.call(bus, "/", `${bus}.NameHasOwner`, NAME)).includes("true");
    });
    return notes;
  }

  /** Waits for a note whose title matches. */
  saying(title, patienceMs = 30_000) {
    return until(`a note says ${title}`, () => this.shown.find((note) => title.test(note.title)), patienceMs);
  }

  /** As a click on a note. */
  click({ id }) {
    return this.session.call(NAME, "/org/freedesktop/Notifications", `${NAME}.TestClick`, String(id));
  }

  end() {
    this.child.kill("SIGTERM");
  }
}
