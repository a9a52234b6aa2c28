// The engine of this thread.

import { Engine, type Index } from "./engine";

/** The compiled loops, as one thread gives them to another. */
export interface Code {
  module: WebAssembly.Module;
  index: Index;
}

let current: { code: Code; engine: Engine } | null = null;

/** Make the engine of this thread; to be awaited before anything else is used. */
export async function useCode(code: Code): Promise<void> {
  current = { code, engine: await Engine.load(code.module, code.index) };
}

export function engine(): Engine {
  return loaded().engine;
}

export function code(): Code {
  return loaded().code;
}

function loaded(): { code: Code; engine: Engine } {
  if (!current) throw new Error("the engine is not loaded yet.");
  return current;
}
