// The page's one engine: the module is part of the script, so that it loads from anywhere.

import { Engine, type Index } from "./engine";
import base64 from "./rosenblatt.wasm";
import index from "./rosenblatt.wasm.json";

let loaded: { module: WebAssembly.Module; engine: Engine } | null = null;

/** What a worker needs for an engine of its own. */
export interface Code {
  module: WebAssembly.Module;
  index: Index;
}

/** Make the engine; to be awaited before anything else is used. */
export async function loadEngine(): Promise<void> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const module = await WebAssembly.compile(bytes);
  loaded = { module, engine: await Engine.load(module, index as unknown as Index) };
}

/** The engine of this thread. */
export function engine(): Engine {
  if (!loaded) throw new Error("the engine is not loaded yet.");
  return loaded.engine;
}

export function code(): Code {
  if (!loaded) throw new Error("the engine is not loaded yet.");
  return { module: loaded.module, index: index as unknown as Index };
}
