// The whole state in the address: JSON, deflated, in the letters that addresses allow.
//
// Points from a generator are named by its settings and seed. If some have been changed by hand,
// the link says which are still the generator's, and where the others are.

import { editsOf, type Edit } from "./edits";
import { checkLink, DamagedLink, DEFAULTS } from "./link_checks";
import type { Drawn } from "./schema";

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
  at: number; // updates made
  visits?: number; // and visits; links of old have none
  coef: number[][];
  intercept: number[];
}

/** What a generator has drawn, and by which settings. */
export interface Origin {
  source: DataState;
  drawn: Drawn;
}

interface View {
  panels: PanelState[];
  seed: number;
  clock: number;
  focus: number;
  tab: string;
  branch: BranchState | null;
  hand: [number, number, number] | null;
  held: number; // number of points held out, the last ones
  share: number; // of the points, when a set comes
  names: Record<string, string>;
}

/** Everything that can be seen: enough to see it again. */
export interface State extends View {
  points: number[][];
  labels: number[];
  source: DataState | null; // null if the points are one's own, or changed by hand
  origin: Origin | null; // what they were before
}

/** What a link contains: with a source its points, changed by edits, or all points. */
export interface Link extends View {
  v: 2;
  source: DataState | null;
  edits: Edit[] | null;
  points: number[][] | null;
  labels: number[] | null;
}

const LONGEST = 200_000; // characters of a link
const LARGEST = 1_000_000; // bytes of what is in it

/** The link to what is seen. */
export async function pack(state: State): Promise<string> {
  const { points, labels, source, origin, ...view } = state;
  const fields = Object.entries({ ...view, ...dataOf(state) });
  const kept = fields.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(DEFAULTS[name as keyof typeof DEFAULTS]));
  const bytes = new TextEncoder().encode(JSON.stringify({ v: 2, ...Object.fromEntries(kept) }));
  const squeezed = await through(bytes, new CompressionStream("deflate-raw"), Infinity);
  let text = "";
  for (let at = 0; at < squeezed.length; at += 0x8000) {
    text += String.fromCharCode(...squeezed.subarray(at, at + 0x8000));
  }
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The points as briefly as they can be told. */
function dataOf({ points, labels, source, origin, share }: State): Partial<Link> {
  if (source) return { source, held: 0 };
  const edits = origin && editsOf(origin, share, points, labels);
  return edits ? { source: origin!.source, edits } : { points, labels };
}

/** What is in a link, which anyone may have written; throws `DamagedLink`. */
export async function unpack(text: string): Promise<Link> {
  if (text.length > LONGEST) throw new DamagedLink("it is too long");
  return checkLink(await content(text));
}

async function content(text: string): Promise<unknown> {
  try {
    const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
    const opened = await through(bytes, new DecompressionStream("deflate-raw"), LARGEST);
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(opened));
  } catch (error) {
    if (error instanceof DamagedLink) throw error;
    throw new DamagedLink("it may have been cut short");
  }
}

/** The text of a link in an address; null if there is none. */
export function linkIn({ hash, search }: { hash: string; search: string }): string | null {
  if (hash.startsWith("#s=")) return hash.slice(3);
  return hash.length > 1 ? null : new URLSearchParams(search).get("s");
}

/** This page's address with a link, for any browser; what its host has put there stays. */
export function addressOf(page: string, text: string | null, options: Record<string, string> = {}): string {
  const address = new URL(page);
  for (const name of ["s", "embed", "present"]) address.searchParams.delete(name);
  for (const [name, value] of Object.entries(options)) address.searchParams.set(name, value);
  address.hash = text === null ? "" : `s=${text}`;
  return address.href;
}

/** Bytes through a stream, as long as no more than so many come out. */
async function through(
  bytes: Uint8Array, stream: CompressionStream | DecompressionStream, most: number,
): Promise<Uint8Array> {
  const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(stream).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    if (size > most) {
      void reader.cancel();
      throw new DamagedLink("it contains too much");
    }
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}
