// Pictures of every page for docs/screenshots: made on demand, they judge nothing.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["pictures/**/*.pictures.ts"],
    testTimeout: 900_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
