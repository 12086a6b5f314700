// Three pages, no inline script and no inline style: they run under a policy without 'unsafe-inline'.
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // The pages are served from the agent's root, from Tauri's own scheme and from a path of the server.
  base: "./",
  plugins: [react()],
  resolve: {
    alias: {
      // The decoder inside the package can be stopped at a limit; the one it shows cannot.
      "brotli/dec/decode.js": fileURLToPath(new URL("node_modules/brotli/dec/decode.js", import.meta.url)),
    },
  },
  worker: { format: "es" },
  build: {
    // All three know light-dark(); an older target would have it rewritten.
    target: ["chrome125", "safari18", "firefox128"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: { index: "index.html", inspector: "inspector.html", console: "console.html" } },
  },
  test: { include: ["src/**/*.test.ts", "src/**/*.test.tsx"] },
});
