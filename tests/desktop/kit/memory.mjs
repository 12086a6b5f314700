// What the app's processes take of the machine's memory.
import fs from "node:fs";
import { processesWith } from "./programs.mjs";

/** The proportional set sizes of a session's programs and pages in MiB, and a line that names each. */
export function memoryOf({ env }) {
  const own = processesWith(`HOME=${env.HOME}`).filter(({ program }) => /^(postern|WebKit)/.test(program));
  const sizes = own.map(({ pid, program }) => [program, proportional(pid)]);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  const each = sizes.map(([name, size]) => `${name} ${Math.round(size)}`).join(", ");
  return { total, line: `${Math.round(total)} MiB (${each})` };
}

/** The proportional set size of a process in MiB. */
function proportional(pid) {
  try {
    const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
    return Number(kilobytes) / 1024;
  } catch {
    return 0;
  }
}
