import { readFileSync } from "node:fs";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

/** KaTeX offers each font in three formats; every browser that runs the page reads the first. */
const oneFormat = {
  name: "one-font-format",
  enforce: "pre" as const,
  transform(code: string, id: string) {
    if (!id.includes("katex") || !id.endsWith(".css")) return null;
    return code.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("[^"]*"\)/g, "");
  },
};

/** The compiled loops as text in the script: they then load from a file, too, and without a request. */
const wasmInside = {
  name: "wasm-inside",
  enforce: "pre" as const,
  load(id: string) {
    if (!id.endsWith(".wasm")) return null;
    return `export default ${JSON.stringify(readFileSync(id, "base64"))}`;
  },
};

export default defineConfig({
  plugins: [oneFormat, wasmInside, svelte()],
  base: "./",
  build: {
    outDir: "../src/rosenblatt/lab/static",
    emptyOutDir: true,
    assetsInlineLimit: 0, // rosenblatt.lab.page puts them into the one file that is served or written
    modulePreload: { polyfill: false },
    target: "es2022",
    chunkSizeWarningLimit: 1000, // one page, one script; what it weighs compressed is tested
  },
  // Thousands of replays in one test: a busy machine may take longer than the usual five seconds.
  test: {
    include: ["tests/**/*.test.ts"], setupFiles: ["tests/setup.ts"], environment: "node", testTimeout: 60_000,
  },
});
