import { defineConfig } from "vite";

/** The figure's frame in a notebook: one module with an export, beside the page. */
export default defineConfig({
  build: {
    outDir: "../src/rosenblatt/lab/static",
    emptyOutDir: false,
    lib: { entry: "src/widget.ts", formats: ["es"], fileName: () => "widget.js" },
    target: "es2022",
  },
});
