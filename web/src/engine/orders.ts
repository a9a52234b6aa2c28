// The visits of a pass, as src/rosenblatt/theory/orders.py draws them.

import type { Engine } from "./engine";
import type { Generator } from "./random";

const BLOCK = 256; // consecutive examples that the block order keeps together

export interface Order {
  draw(examples: number, random: Generator, engine: Engine): Uint32Array;
  covers: boolean; // every pass visits, or looks at, every example
  pick: number; // what chooses the example: 0 the order, else a greedy loop
}

const inOrder = (examples: number) => Uint32Array.from({ length: examples }, (_, i) => i);

function shuffled(examples: number, random: Generator, engine: Engine): Uint32Array {
  const drawn = random.words(2 * (Math.floor(examples / 2) + 1)).subarray(0, examples);
  return engine.memory.scope(() => {
    const words = engine.memory.array("<u4", [examples], drawn);
    const visits = engine.memory.array("<u4", [examples], inOrder(examples));
    engine.call("shuffle", { words, visits });
    return (visits.values as Uint32Array).slice();
  });
}

function blocks(examples: number, random: Generator): Uint32Array {
  const visits = inOrder(examples);
  const count = Math.floor(examples / BLOCK);
  const each = Array.from({ length: count }, (_, n) => visits.slice(n * BLOCK, (n + 1) * BLOCK));
  for (const block of each) random.shuffle(block);
  const rest = visits.slice(count * BLOCK);
  random.shuffle(rest);
  const places = inOrder(count);
  random.shuffle(places);
  places.forEach((place, n) => visits.set(each[place], n * BLOCK));
  visits.set(rest, count * BLOCK);
  return visits;
}

const sampled = (examples: number, random: Generator) =>
  Uint32Array.from({ length: examples }, () => random.below(examples));

const words = (examples: number, random: Generator) =>
  random.words(2 * (Math.floor(examples / 2) + 1)).subarray(0, examples);

export const ORDERS: Record<string, Order> = {
  cyclic: { draw: inOrder, covers: true, pick: 0 },
  shuffled: { draw: shuffled, covers: true, pick: 0 },
  blocks: { draw: blocks, covers: true, pick: 0 },
  sampled: { draw: sampled, covers: false, pick: 0 },
  least: { draw: inOrder, covers: true, pick: 1 },
  violated: { draw: words, covers: true, pick: 2 },
  nearest: { draw: inOrder, covers: true, pick: 3 },
};
