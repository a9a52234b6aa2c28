// Bounds on rounding errors, as src/rosenblatt/theory/rounding.py has them.

export const UNIT = 2 ** -53; // relative error of a rounded number
const TINY = 2 ** -1074; // absolute error of a rounded number that underflows

/** A bound from above on a norm, given its square as a computed sum of `terms` squares. */
export function longest(norm2: number, terms: number): number {
  return Math.sqrt(Math.max(norm2, 0) * (1 + 4 * (terms + 16) * UNIT) + terms * TINY) * (1 + 4 * UNIT);
}

/** A bound on the error of a computed <w, x> with |x| <= radius and |w| <= length. */
export function marginError(radius: number, length: number, terms: number): number {
  return 2 * (terms + 3) * UNIT * radius * length + 2 * terms * TINY;
}

/** A bound on what some updates may add to |computed w - exact w|/(sum of the steps). */
export function drift(updates: number, scores: number, reach: number, terms: number, least: number): number {
  const relative = (8 * updates + 4 * (scores + 8)) * UNIT * reach;
  return relative + (least < Infinity ? (8 * updates * Math.sqrt(terms) * TINY) / least : 0);
}

/** A bound on the error of <w, w>/(sum of the steps)² after it was updated by algebra. */
export function carried(updates: number, reach: number, terms: number): number {
  return (4 * terms + 64) * updates * UNIT * reach * reach;
}

/** A bound on every margin from above: |w|/(sum of the steps), plus rounding errors. */
export function ceiling(norm2: number, steps: number, drifted: number, terms: number): number {
  if (!(steps > 0)) return Infinity;
  return (longest(norm2, terms) / steps + drifted) * (1 + 16 * UNIT);
}

/** A bound on the margin of a hypothesis from below: its least margin over its norm. */
export function floor(low: number, error: number, length: number): number {
  return low > error ? ((low - error) / length) * (1 - 4 * UNIT) : -Infinity;
}
