// The point of a convex hull that is nearest to the origin, in whole numbers: Wolfe's algorithm (1976).
//
// In exact arithmetic the length decreases with every point that enters, so it ends, whatever the
// points: equal, collinear, at the origin. Doubles only suggest which point enters.

import { approximate, combine, dot, reduced, type Integers } from "./integers";

/** The nearest point as a combination: Σ shares·vectors[support]/Σ shares. */
export interface Nearest {
  support: number[]; // affinely independent
  shares: Integers; // positive
  total: bigint; // of the shares
  sum: Integers; // Σ shares·vectors[support]; zero if the hull contains the origin
}

export function nearestPoint(vectors: Integers[]): Nearest {
  const rounded = approximate(vectors);
  let support = [shortest(rounded)];
  let shares: Integers = [1n];
  for (;;) {
    const sum = combine(support.map((i) => vectors[i]), shares);
    const total = shares.reduce((all, share) => all + share, 0n);
    const next = sum.some((v) => v) ? entering(vectors, rounded, sum, total) : null;
    if (next === null) return { support, shares, total, sum };
    [support, shares] = optimised(vectors, [...support, next], [...shares, 0n]);
  }
}

function shortest(rounded: number[][]): number {
  const norms2 = rounded.map((v) => v.reduce((sum, x) => sum + x * x, 0));
  return norms2.reduce((best, n, i) => (n < norms2[best] ? i : best), 0);
}

/** A vector on the origin's side of the plane through the point, across it; null if there is none. */
function entering(vectors: Integers[], rounded: number[][], sum: Integers, total: bigint): number | null {
  const [w] = approximate([sum]);
  let likely = 0;
  let least = Infinity;
  rounded.forEach((v, i) => {
    let product = 0;
    for (let j = 0; j < w.length; j++) product += v[j] * w[j];
    if (product < least) [likely, least] = [i, product];
  });
  const norm2 = dot(sum, sum);
  const crosses = (v: Integers) => dot(v, sum) * total < norm2;
  if (crosses(vectors[likely])) return likely;
  const found = vectors.findIndex(crosses);
  return found < 0 ? null : found;
}

/** Go to the nearest point of the vectors' plane, leaving out those that get in the way. */
function optimised(vectors: Integers[], support: number[], shares: Integers): [number[], Integers] {
  for (;;) {
    const goal = inPlane(support.map((i) => vectors[i]));
    if (goal.every((share) => share > 0n)) return [support, goal];
    // The first share to vanish on the way is the one that falls fastest for its size.
    let first = -1;
    goal.forEach((g, n) => {
      if (g > 0n) return;
      if (first < 0 || -g * shares[first] > -goal[first] * shares[n]) first = n;
    });
    const [from, to] = [shares[first], goal[first]];
    const there = goal.map((g, n) => from * g - to * shares[n]);
    const kept = there.flatMap((share, n) => (share > 0n ? [n] : []));
    support = kept.map((n) => support[n]);
    shares = reduced(kept.map((n) => there[n]));
  }
}

/** The nearest point of the plane through affinely independent vectors, as shares of any sign. */
function inPlane(vectors: Integers[]): Integers {
  // The normal equations (1 + p·q) u = 1, solved without fractions (Bareiss 1968). Their matrix is
  // positive definite, so that no pivot is zero.
  const rows = vectors.map((p) => [...vectors.map((q) => 1n + dot(p, q)), 1n]);
  let before = 1n;
  rows.forEach((row, k) => {
    const pivot = row[k];
    for (const other of rows) {
      if (other === row) continue;
      const factor = other[k];
      other.forEach((v, j) => (other[j] = (pivot * v - factor * row[j]) / before));
    }
    before = pivot;
  });
  return reduced(rows.map((row) => row[row.length - 1]));
}
