// Points that are held out: kept away from learning, to estimate the error on new ones.

/** A stream of numbers from 0 to 1, the same for the same seed. */
export function stream(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Examples in their order, but for those held out, which come last: a share of each class. */
export function arranged<T extends { label: number }>(
  examples: T[], share: number, seed: number,
): { examples: T[]; held: number } {
  const draw = stream(seed);
  const drawn = examples.map((_, n) => ({ n, key: draw() })).sort((a, b) => a.key - b.key);
  const out = new Set<number>();
  for (const label of new Set(examples.map((e) => e.label))) {
    const own = drawn.filter(({ n }) => examples[n].label === label);
    const count = Math.min(own.length - 1, Math.round(share * own.length)); // one is left to learn
    own.slice(0, count).forEach(({ n }) => out.add(n));
  }
  const side = (held: boolean) => examples.filter((_, n) => out.has(n) === held);
  return { examples: [...side(false), ...side(true)], held: out.size };
}
