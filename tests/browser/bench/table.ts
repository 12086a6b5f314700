// What a bench has measured, printed as a table with the machine and the browser it was measured in.
import type { Browser } from "@playwright/test";
import { cpus } from "node:os";

const rows: string[] = [];

export function say(what: string, value: string): void {
  rows.push(`| ${what} | ${value} |`);
}

export const ms = (value: number): string => value.toFixed(1);

/** Prints the table and begins the next one. */
export function printTable(browser: Browser): void {
  const [processor] = cpus();
  process.stdout.write(
    `\n${cpus().length} × ${processor?.model ?? "unknown"}, Chromium ${browser.version()}\n\n` +
      `| what | measured |\n|---|---|\n${rows.splice(0).join("\n")}\n\n`,
  );
}
