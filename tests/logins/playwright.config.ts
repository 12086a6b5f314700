// One test at a time: every spec starts real programs and providers of its own.
import { join } from "node:path";
import browser from "../browser/playwright.config";

const { projects: _, ...shared } = browser;

export default {
  ...shared,
  testDir: "specs",
  outputDir: join(import.meta.dirname, "../../artifacts/logins-traces"),
  workers: 1,
  timeout: 90_000,
};
