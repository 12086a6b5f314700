import { defineConfig } from "@playwright/test";
import { join } from "node:path";

const ON_DEMAND = { timeout: 900_000, expect: { timeout: 30_000 }, workers: 1 };

export default defineConfig({
  outputDir: join(import.meta.dirname, "../../artifacts/browser-traces"),
  reporter: "list",
  forbidOnly: process.env["CI"] !== undefined,
  retries: 0,
  // The specs start real programs, each file its own.
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  use: {
    launchOptions: {
      executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    },
    viewport: { width: 1180, height: 760 },
    permissions: ["clipboard-read", "clipboard-write"],
    ignoreHTTPSErrors: true,
    actionTimeout: 15_000,
    navigationTimeout: 15_000,
    // Pictures of every frame would keep both cores busy.
    trace: { mode: "retain-on-failure", screenshots: false },
  },
  projects: [
    { name: "specs", testDir: "specs" },
    // What is measured in the browser takes minutes and judges no pull request.
    { name: "bench", testDir: "bench", testMatch: "*.bench.ts", ...ON_DEMAND, use: { trace: "off" } },
    // Pictures of every page for docs/screenshots: made on demand, they judge nothing.
    {
      name: "pictures",
      testDir: "pictures",
      testMatch: "*.pictures.ts",
      ...ON_DEMAND,
      use: { trace: "off" },
    },
  ],
});
