// The compiled loops as a part of the script, so that they load from anywhere.

import { useCode } from "./current";
import type { Index } from "./engine";
import base64 from "./rosenblatt.wasm";
import index from "./rosenblatt.wasm.json";

/** Make the page's engine; to be awaited before anything else is used. */
export async function loadEngine(): Promise<void> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  await useCode({ module: await WebAssembly.compile(bytes), index: index as unknown as Index });
}
