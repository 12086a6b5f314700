// Programs that the test starts, each in its own process group and ended by its id.
import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { equal, pause, until } from "./wait.mjs";

const ENDED_BY_FORCE_AFTER_MS = 3_000;

export class Programs {
  #running = [];

  constructor(logFolder) {
    this.logFolder = logFolder;
    fs.mkdirSync(logFolder, { recursive: true });
  }

  /** Starts a program; its output goes to a log named after it. `extra` are further stdio entries. */
  start(name, command, args, { env, extra = [], input } = {}) {
    const log = fs.openSync(path.join(this.logFolder, `${name}.log`), "a");
    const child = spawn(command, args, { env, detached: true, stdio: [input === undefined ? "ignore" : "pipe", log, log, ...extra] });
    fs.closeSync(log);
    child.stdin?.end(input);
    child.on("error", (error) => (child.failure = error));
    this.#running.push({ name, child });
    return child;
  }

  async end(child) {
    this.#running = this.#running.filter((program) => program.child !== child);
    if (child.pid === undefined || hasEnded(child)) return;
    signalGroup(child.pid, "SIGTERM");
    const gone = await settled(child, ENDED_BY_FORCE_AFTER_MS);
    if (!gone) signalGroup(child.pid, "SIGKILL");
    if (!gone) await settled(child, ENDED_BY_FORCE_AFTER_MS);
  }

  async endAll() {
    for (const { child } of this.#running.reverse()) await this.end(child);
  }
}

/** Runs a short program to its end and gives `{code, out, err}`; with a timeout. */
export function run(command, args, { env, timeoutMs = 15_000, input, encoding = "utf8" } = {}) {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { env, encoding, timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 },
      (error, out, err) => resolve({ code: error ? (error.code ?? 1) : 0, out, err }),
    );
    child.stdin?.end(input);
  });
}

/** Whether a program that this one started has ended. */
export function hasEnded(child) {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Waits for the end of a program that this one started. */
export async function endOf(child, timeoutMs = 15_000) {
  await until("the program ends", () => hasEnded(child), timeoutMs);
  return { code: child.exitCode, signal: child.signalCode };
}

/** Waits for a program that this one started to end successfully. */
export async function succeeds(child, timeoutMs) {
  equal(await endOf(child, timeoutMs), { code: 0, signal: null }, "the program's end");
}

export function isAlive(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    // A zombie has ended but was not reaped yet.
    return !/^\S+ \(.*\) [ZX]/s.test(stat);
  } catch {
    return false;
  }
}

export function gone(pid, timeoutMs) {
  return until(`process ${pid} ends`, () => !isAlive(pid), timeoutMs);
}

/** The running processes whose environment has this entry. */
export function processesWith(entry) {
  const found = [];
  for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number)) {
    try {
      if (!isAlive(pid)) continue;
      const environment = fs.readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      if (!environment.includes(entry)) continue;
      const command = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
      found.push({ pid, command, program: path.basename(fs.readlinkSync(`/proc/${pid}/exe`)) });
    } catch {
      // The process ended meanwhile.
    }
  }
  return found;
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has already ended.
  }
}

async function settled(child, timeoutMs) {
  const deadline = Date.now() + timeoutMs;
  while (!hasEnded(child)) {
    if (Date.now() > deadline) return false;
    await pause(20);
  }
  return true;
}
