// The whole state in the address: JSON, deflated, in the letters that addresses allow.

export interface PanelState {
  algorithm: string;
  parameters: Record<string, boolean | number | string | null>;
}

export interface DataState {
  generator: string;
  parameters: Record<string, number>;
  seed: number;
}

export interface BranchState {
  at: number;
  coef: number[][];
  intercept: number[];
}

/** Everything that can be seen: enough to see it again. */
export interface State {
  v: 1;
  points: number[][];
  labels: number[];
  held?: number; // number of points held out, the last ones
  share?: number; // of the points, when a set comes
  names: Record<string, string>;
  source: DataState | null;
  panels: PanelState[];
  seed: number;
  clock: number;
  focus: number;
  tab: string;
  branch: BranchState | null;
  hand: [number, number, number] | null;
}

export async function pack(state: State): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const squeezed = await through(bytes, new CompressionStream("deflate-raw"));
  let text = "";
  for (let at = 0; at < squeezed.length; at += 0x8000) {
    text += String.fromCharCode(...squeezed.subarray(at, at + 0x8000));
  }
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpack(text: string): Promise<State> {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
  const opened = await through(bytes, new DecompressionStream("deflate-raw"));
  const state = JSON.parse(new TextDecoder().decode(opened)) as State;
  if (state.v !== 1 || !sound(state)) throw new Error("This link is not one of the lab's.");
  return state;
}

function sound(state: State): boolean {
  const finite = (v: unknown) => typeof v === "number" && Number.isFinite(v);
  return (
    Array.isArray(state.points) && Array.isArray(state.labels) && Array.isArray(state.panels) &&
    state.points.length === state.labels.length && state.points.length <= 2000 &&
    state.points.every((p) => Array.isArray(p) && p.length === 2 && p.every(finite)) &&
    state.labels.every(finite) && state.panels.length >= 1 && state.panels.length <= 9 &&
    finite(state.clock) && finite(state.seed) &&
    [state.held ?? 0, state.share ?? 0].every((v) => finite(v) && v >= 0) &&
    (state.held ?? 0) < state.points.length && (state.share ?? 0) < 1
  );
}

async function through(
  bytes: Uint8Array, stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const flow = new Blob([bytes as BlobPart]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(flow).arrayBuffer());
}
