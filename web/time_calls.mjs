// Times recorded calls of the page's module: node time_calls.mjs FILE ROUNDS prints the least
// seconds of each call, from the packing of its arguments to its results.

import { readFileSync } from "node:fs";
import { createServer } from "vite";

const [file, rounds] = process.argv.slice(2);
const server = await createServer({ server: { middlewareMode: true }, logLevel: "error" });
const { Engine } = await server.ssrLoadModule("/src/engine/engine.ts");
const { Calls } = await server.ssrLoadModule("/tests/calls.ts");
const here = (name) => new URL(`./src/engine/${name}`, import.meta.url);
const module = await WebAssembly.compile(readFileSync(here("rosenblatt.wasm")));
const index = JSON.parse(readFileSync(here("rosenblatt.wasm.json"), "utf8"));
const { arrays, calls } = JSON.parse(readFileSync(file, "utf8"));

const engine = await Engine.load(module, index);
const recorded = new Calls(engine, index, arrays);
const least = calls.map((call) => {
  let best = Infinity;
  for (let round = 0; round < Number(rounds); round++) {
    engine.memory.scope(() => {
      const values = recorded.values(call);
      const before = performance.now();
      engine.call(call.loop, values);
      best = Math.min(best, performance.now() - before);
    });
  }
  return best / 1e3;
});
console.log(JSON.stringify(least));
await server.close();
