// One browser and few processes at a time: providers listen at ports that they were told.
import { join } from "node:path";
import browser from "../browser/playwright.config";

export default {
  ...browser,
  testDir: "specs",
  outputDir: join(import.meta.dirname, "../../artifacts/logins-traces"),
  projects: [],
  workers: 1,
  timeout: 90_000,
};
