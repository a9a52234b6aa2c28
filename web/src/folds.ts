// One run replayed: its hypotheses after each update, and how long each of them lived.
//
// All learning happened in the library. Here its updates (t, i, r, a, c) are made again:
// h <- c·h + a·(signed example i, against rival r). A checkpoint every 100 updates keeps any
// moment near. A moment is a number of visits T: updates with t < T have been made.

import type { Data, Document, Entries, Space as Config, Updates } from "./schema";
import { makeSpace, type Space, type Vector } from "./spaces";

export const STRIDE = 100; // updates between two checkpoints

export class Fold {
  readonly updates: Updates;
  readonly count: number;
  readonly labels: number[]; // signs, or class numbers
  readonly begun: number; // visits before the first
  readonly space: Space;
  private readonly points: number[][];
  private readonly states: Vector[]; // at the checkpoints
  private readonly library = new Map<number, number[][]>(); // hypotheses that the library has sent
  private readonly onMistakes: number[] = [0]; // updates on mistakes among the first k
  private near: { k: number; state: Vector };

  constructor(entries: Entries | Document, data: Data, config: Config) {
    this.updates = entries.updates;
    this.count = entries.updates.t.length;
    this.labels = entries.data.labels as number[];
    // A journal without updates has the counters of its end for a start.
    this.begun = this.count ? Number(entries.start.counters.t ?? 0) : 0;
    this.points = data.points;
    const start = entries.start.w;
    this.space = makeSpace({ config, data, labels: this.labels, rows: start.length });
    entries.checkpoints.k.forEach((k, n) => this.library.set(k, entries.checkpoints.w[n]));
    this.states = [this.space.init(start)];
    this.near = { k: 0, state: this.states[0] };
  }

  /** Updates made when T visits are done. */
  made(T: number): number {
    return countBelow(this.updates.t, T);
  }

  /** Visits done when hypothesis k came into force. */
  born(k: number): number {
    return k === 0 ? this.begun : this.updates.t[k - 1];
  }

  /** Visits that hypothesis k survived, up to visit T. */
  life(k: number, T: number): number {
    const end = k < this.count ? Math.min(this.updates.t[k], T) : T;
    return Math.max(0, end - this.born(k));
  }

  /** Lives of all hypotheses up to visit T that have lived at all. */
  lives(T: number): { k: number; life: number }[] {
    return Array.from({ length: this.made(T) + 1 }, (_, k) => ({ k, life: this.life(k, T) }))
      .filter(({ life }) => life > 0);
  }

  /** The weights after k updates: a row for each score, the bias last (or a kernel's factors). */
  weights(k: number): Vector {
    return this.part(this.state(k)).slice();
  }

  /** The weights after each of `from` to `to` updates; they are overwritten as it goes on. */
  each(from: number, to: number, visit: (k: number, w: Vector) => void): void {
    const state = this.state(from).slice();
    for (let k = from; k <= to; k++) {
      visit(k, this.part(state));
      if (k < to) this.apply(state, k);
    }
  }

  /** Weights as the rows they consist of. */
  asRows(w: Vector): number[][] {
    const { rows, width } = this.space;
    return Array.from({ length: rows }, (_, r) => [...w.slice(r * width, (r + 1) * width)]);
  }

  private part(state: Vector): Vector {
    const { weightsAt, rows, width } = this.space;
    return state.subarray(weightsAt, weightsAt + rows * width);
  }

  private state(k: number): Vector {
    if (this.near.k === k) return this.near.state;
    this.layCheckpoints(Math.floor(k / STRIDE));
    let at = Math.floor(k / STRIDE) * STRIDE;
    let state = this.states[at / STRIDE];
    if (this.near.k < k && this.near.k >= at) ({ k: at, state } = this.near);
    state = state.slice();
    for (let e = at; e < k; e++) this.apply(state, e);
    this.near = { k, state };
    return state;
  }

  private layCheckpoints(last: number): void {
    while (this.states.length <= last) {
      const first = (this.states.length - 1) * STRIDE;
      const state = this.states[this.states.length - 1].slice();
      for (let e = first; e < first + STRIDE; e++) this.apply(state, e);
      this.states.push(state);
    }
  }

  /** Make update e on a state; where the library has sent the outcome, take that. */
  private apply(h: Vector, e: number): void {
    const known = this.library.get(e + 1);
    if (known) {
      known.forEach((row, r) => h.set(row, r * this.space.width));
      return;
    }
    const { i, r, a, c, g } = this.updates;
    if (c[e] !== 1) for (let j = 0; j < h.length; j++) h[j] *= c[e];
    this.space.move(h, { i: i[e], r: r[e], a: a[e], g: g?.[e] ?? 0 });
  }

  /** Margin of an example: y·f, or with many rows its lead over the best rival, or over one. */
  margin(w: Vector, i: number, rival = -1): number {
    const scores = this.space.scores(w, this.points[i]);
    const own = this.labels[i];
    if (scores.length === 1) return own * scores[0];
    if (rival >= 0) return scores[own] - scores[rival];
    return scores[own] - Math.max(...scores.filter((_, c) => c !== own));
  }

  /** |w|, in the space of a kernel by its values. */
  norm(w: Vector): number {
    return Math.sqrt(this.space.norm2(w));
  }

  /** Examples that weights get wrong in the sense of learning: a tie is a mistake. */
  mistakes(w: Vector): number {
    return this.points.filter((_, i) => this.margin(w, i) <= 0).length;
  }

  /** How many of the first k updates were made on mistakes, each visit counted once. */
  mistaken(k: number): number {
    const { t, i } = this.updates;
    const counted = this.onMistakes.length - 1;
    if (counted < k) {
      this.each(counted, k - 1, (e, w) => {
        const first = e === 0 || t[e] !== t[e - 1];
        const wrong = first && this.margin(w, i[e]) <= 0;
        this.onMistakes.push(this.onMistakes[e] + (wrong ? 1 : 0));
      });
    }
    return this.onMistakes[k];
  }
}

/** How many of some ascending numbers are below a limit. */
export function countBelow(ascending: number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of the first of the largest. */
export function firstLargest(values: ArrayLike<number>): number {
  let best = 0;
  for (let c = 1; c < values.length; c++) if (values[c] > values[best]) best = c;
  return best;
}
