// A journal replayed: every hypothesis of a run, and what each readout makes of them.
//
// All learning happened in the library. Here its updates (t, i, r, a, c) are made again:
// h <- c·h + a·(signed example i, against rival r). A checkpoint every 100 updates keeps any
// moment near. A moment is a number of visits T: updates with t < T have been made.

import type { Data, Document, Entries, Space, Updates } from "./schema";

const STRIDE = 100;

export type Vector = Float64Array;

export function kernel(space: Space, x: ArrayLike<number>, z: ArrayLike<number>): number {
  const constant = space.constant ?? 0;
  const gamma = space.gamma ?? 1;
  let dot = 0;
  let far = 0;
  for (let j = 0; j < x.length; j++) {
    dot += x[j] * z[j];
    far += (x[j] - z[j]) ** 2;
  }
  switch (space.kernel) {
    case "linear":
      return dot + constant;
    case "rbf":
      return Math.exp(-gamma * far) + constant;
    case "poly":
      return (gamma * dot + (space.coef0 ?? 0)) ** (space.degree ?? 3) + constant;
    case "sigmoid":
      return Math.tanh(gamma * dot + (space.coef0 ?? 0)) + constant;
    default:
      throw new Error(`The page does not know the kernel ${space.kernel}.`);
  }
}

/** Weights that a sum of steps stands for, behind the link of the p-norm; p null: Winnow's. */
export function link(theta: Vector, p: number | null, w: Vector): void {
  let largest = 0;
  for (const v of theta) largest = Math.max(largest, Math.abs(v));
  if (largest === 0) {
    w.fill(0);
    return;
  }
  if (p === null) {
    let total = 0;
    for (let j = 0; j < theta.length; j++) {
      const size = Math.abs(theta[j]);
      const value = -Math.exp(size - largest) * Math.expm1(-2 * size);
      w[j] = theta[j] > 0 ? value : -value;
      total += value;
    }
    for (let j = 0; j < w.length; j++) w[j] *= total > 0 ? largest / total : 0;
    return;
  }
  let sum = 0;
  for (const v of theta) sum += (Math.abs(v) / largest) ** p;
  const norm = largest * sum ** (1 / p);
  for (let j = 0; j < theta.length; j++) {
    const size = norm * (Math.abs(theta[j]) / norm) ** (p - 1);
    w[j] = theta[j] > 0 ? size : -size;
  }
}

/** One run: its hypotheses after each update. */
export class Fold {
  readonly updates: Updates;
  readonly count: number;
  readonly rows: number; // scores that a hypothesis gives
  readonly width: number; // numbers of one row: features and the bias
  readonly labels: number[]; // signs, or class numbers
  readonly begun: number; // visits before the first
  readonly space: Space;
  private readonly points: number[][];
  private readonly bias: number;
  private readonly offset: number;
  private readonly size: number; // numbers of a whole state
  private readonly from: number; // where in a state the weights are
  private readonly states: Vector[] = [];
  private readonly sums: Vector[] = []; // of hypotheses times their lives, at the checkpoints
  private near: { k: number; state: Vector } = { k: -1, state: new Float64Array(0) };
  private readonly records: { e: number; life: number; errors: number }[] = [];
  private recorded = 0;
  private readonly told = new Map<number, number[][]>(); // the library's own checkpoints
  private readonly unit: boolean; // each hypothesis is divided by its length
  private readonly squares: number[] = [0]; // |w|² of the hypotheses, where they are

  constructor(entries: Entries | Document, data: Data, space: Space, unit = false) {
    this.updates = entries.updates;
    this.count = entries.updates.t.length;
    this.labels = entries.data.labels as number[];
    // A journal without updates tells of no start but its end.
    this.begun = this.count ? Number(entries.start.counters.t ?? 0) : 0;
    this.space = space;
    this.unit = unit;
    entries.checkpoints.k.forEach((k, n) => this.told.set(k, entries.checkpoints.w[n]));
    this.points = data.points;
    this.bias = data.bias;
    this.offset = data.offset;
    const start = entries.start.w;
    this.rows = start.length;
    this.width = space.kind === "kernel" ? data.points.length : data.points[0].length + 1;
    const D = this.width;
    const sizes = { mirror: 2 * D, diagonal: 2 * D, full: D + D * D } as Record<string, number>;
    this.size = sizes[space.kind] ?? this.rows * D;
    this.from = space.kind === "mirror" ? D : 0;
    const state = new Float64Array(this.size);
    if (space.kind !== "kernel") start.forEach((row, r) => state.set(row, this.from + r * D));
    if (space.kind === "diagonal") state.fill(space.prior ?? 1, D);
    if (space.kind === "full") {
      for (let j = 0; j < D; j++) state[D + j * D + j] = space.prior ?? 1;
    }
    this.states.push(state);
    this.sums.push(new Float64Array(this.rows * D));
  }

  /** Updates made when T visits are done. */
  made(T: number): number {
    const t = this.updates.t;
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (t[middle] < T) low = middle + 1;
      else high = middle;
    }
    return low;
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

  /** The weights after k updates: a row for each score, the bias last (or a kernel's factors). */
  weights(k: number): Vector {
    return this.part(this.state(k));
  }

  private part(state: Vector): Vector {
    return state.slice(this.from, this.from + this.rows * this.width);
  }

  private state(k: number): Vector {
    if (this.near.k === k) return this.near.state;
    this.reach(k);
    let at = Math.floor(k / STRIDE);
    let state: Vector;
    if (this.near.k >= 0 && this.near.k < k && this.near.k >= at * STRIDE) {
      state = this.near.state.slice();
      at = this.near.k;
    } else {
      state = this.states[at].slice();
      at *= STRIDE;
    }
    for (let e = at; e < k; e++) this.apply(state, e);
    this.near = { k, state };
    return state;
  }

  /** Lay checkpoints up to update k. */
  private reach(k: number): void {
    const wanted = Math.floor(k / STRIDE);
    while (this.states.length <= wanted) {
      const first = (this.states.length - 1) * STRIDE;
      const state = this.states[this.states.length - 1].slice();
      const sum = this.sums[this.sums.length - 1].slice();
      for (let e = first; e < first + STRIDE; e++) {
        this.gather(sum, state, this.updates.t[e] - this.born(e), e);
        this.apply(state, e);
      }
      this.states.push(state);
      this.sums.push(sum);
    }
  }

  /** Add hypothesis e, as often as it has lived. */
  private gather(sum: Vector, state: Vector, life: number, e: number): void {
    if (this.unit) this.measure(state, e);
    if (life === 0) return;
    const length = this.unit ? Math.sqrt(this.squares[e]) : 1;
    if (length === 0) return;
    for (let j = 0; j < sum.length; j++) sum[j] += (life / length) * state[this.from + j];
  }

  /** |w|² after update e by that before it: c²|w|² + 2acm + a²K(x, x). */
  private measure(state: Vector, e: number): void {
    if (this.squares.length !== e + 1 || e >= this.count) return;
    const { i, a, c } = this.updates;
    const m = this.margin(state, i[e]);
    const grown = c[e] ** 2 * this.squares[e] + 2 * a[e] * c[e] * m + (a[e] * this.span(i[e])) ** 2;
    this.squares.push(Math.max(0, grown));
  }

  /** Make update e on a state; where the library has told the outcome, take that. */
  private apply(h: Vector, e: number): void {
    const known = this.told.get(e + 1);
    if (known) known.forEach((row, r) => h.set(row, r * this.width));
    else this.move(h, e);
  }

  private move(h: Vector, e: number): void {
    const { i, r, a, c, g } = this.updates;
    const D = this.width;
    const at = i[e];
    if (c[e] !== 1) for (let j = 0; j < h.length; j++) h[j] *= c[e];
    if (this.space.kind === "kernel") {
      if (this.rows === 1) h[at] += a[e] * this.labels[at];
      else {
        h[this.labels[at] * D + at] += a[e];
        h[r[e] * D + at] -= a[e];
      }
      return;
    }
    const x = this.points[at];
    if (this.space.kind === "rows") {
      this.add(h, this.labels[at] * D, x, a[e]);
      this.add(h, r[e] * D, x, -a[e]);
      return;
    }
    const s = a[e] * this.labels[at];
    if (this.space.kind === "diagonal") {
      for (let j = 0; j < D; j++) {
        const value = j < D - 1 ? x[j] : this.bias;
        const z = h[D + j] * value;
        const part = 1 + g![e] * value * z;
        h[j] = this.space.shrinks ? (h[j] + s * z) / part : h[j] + s * z;
        h[D + j] /= part;
      }
      return;
    }
    if (this.space.kind === "full") {
      const z = new Float64Array(D);
      let v = 0;
      for (let j = 0; j < D; j++) {
        for (let k = 0; k < D; k++) z[j] += h[D + j * D + k] * (k < D - 1 ? x[k] : this.bias);
      }
      for (let j = 0; j < D; j++) v += z[j] * (j < D - 1 ? x[j] : this.bias);
      const b = g![e] / (1 + g![e] * v);
      for (let j = 0; j < D; j++) {
        h[j] += s * z[j];
        for (let k = 0; k < D; k++) h[D + j * D + k] -= b * (z[j] * z[k]);
      }
      return;
    }
    this.add(h, 0, x, s);
    if (this.space.kind === "mirror") link(h.subarray(0, D), this.space.p, h.subarray(D));
  }

  private add(h: Vector, row: number, x: number[], a: number): void {
    for (let j = 0; j < x.length; j++) h[row + j] += a * x[j];
    h[row + x.length] += a * this.bias;
  }

  /** Scores of a point under some weights. */
  scores(w: Vector, x: ArrayLike<number>): number[] {
    if (this.space.kind === "kernel") {
      const totals = new Array<number>(this.rows).fill(0);
      for (let j = 0; j < this.width; j++) {
        let value = NaN;
        for (let row = 0; row < this.rows; row++) {
          const factor = w[row * this.width + j];
          if (factor === 0) continue;
          if (Number.isNaN(value)) value = kernel(this.space, this.points[j], x);
          totals[row] += factor * value;
        }
      }
      return totals;
    }
    const out: number[] = [];
    for (let row = 0; row < this.rows; row++) {
      const at = row * this.width;
      let total = this.bias * w[at + this.width - 1] + this.offset;
      for (let j = 0; j < this.width - 1; j++) total += w[at + j] * x[j];
      out.push(total);
    }
    return out;
  }

  /** Margin of an example: y·f, or with many rows its lead over the best rival, or over one. */
  margin(w: Vector, i: number, rival = -1): number {
    const scores = this.scores(w, this.points[i]);
    const own = this.labels[i];
    if (this.rows === 1) return own * scores[0];
    if (rival >= 0) return scores[own] - scores[rival];
    let best = -Infinity;
    scores.forEach((s, c) => (best = c === own ? best : Math.max(best, s)));
    return scores[own] - best;
  }

  /** |w|, in the space of a kernel by its values. */
  length(w: Vector): number {
    let total = 0;
    if (this.space.kind === "kernel") {
      const D = this.width;
      const used: number[] = [];
      for (let j = 0; j < D; j++) {
        for (let row = 0; row < w.length; row += D) {
          if (w[row + j] === 0) continue;
          used.push(j);
          break;
        }
      }
      for (const j of used) {
        for (const k of used) {
          let both = 0;
          for (let row = 0; row < w.length; row += D) both += w[row + j] * w[row + k];
          total += both * kernel(this.space, this.points[j], this.points[k]);
        }
      }
    } else for (const v of w) total += v * v;
    return Math.sqrt(Math.max(total, 0));
  }

  /** Length of an example in this space, the constant feature included. */
  span(i: number): number {
    const x = this.points[i];
    if (this.space.kind === "kernel") return Math.sqrt(kernel(this.space, x, x));
    return Math.hypot(...x, this.bias);
  }

  /** The mean of the hypotheses over T visits; of those of one length, their sum. */
  averaged(T: number): Vector {
    const k = this.made(T);
    const done = T - this.begun;
    if (done <= 0) return this.weights(k);
    this.reach(k);
    const at = Math.floor(k / STRIDE);
    const sum = this.sums[at].slice();
    const state = this.states[at].slice();
    for (let e = at * STRIDE; e < k; e++) {
      this.gather(sum, state, this.updates.t[e] - this.born(e), e);
      this.apply(state, e);
    }
    this.gather(sum, state, T - this.born(k), k);
    if (!this.unit) for (let j = 0; j < sum.length; j++) sum[j] /= done;
    return sum;
  }

  /** Visits without a mistake of hypothesis k up to visit T; the one that made it is none. */
  private run(k: number, T: number): number {
    return Math.max(0, T - this.born(k) - (k > 0 ? 1 : 0));
  }

  /** The hypothesis in the pocket after T visits: the longest run, and fewer errors each time. */
  pocket(T: number): { k: number; weights: Vector; life: number } {
    const k = this.made(T);
    while (this.recorded < k) {
      this.offer(this.recorded, this.run(this.recorded, this.updates.t[this.recorded]));
      this.recorded++;
    }
    let best = { e: -1, life: 0, errors: -1 };
    for (const record of this.records) if (record.e < k) best = record;
    const life = this.run(k, T);
    if (life > best.life) {
      const errors = this.mistakes(this.weights(k));
      if (best.errors < 0 || errors < best.errors) best = { e: k, life, errors };
    }
    const held = best.e < 0 ? k : best.e;
    return { k: held, weights: this.weights(held), life: best.life };
  }

  private offer(e: number, life: number): void {
    const last = this.records[this.records.length - 1];
    if (life <= (last?.life ?? 0)) return;
    const errors = this.mistakes(this.weights(e));
    if (last === undefined || errors < last.errors) this.records.push({ e, life, errors });
  }

  /** Examples that weights get wrong in the sense of learning: a tie is a mistake. */
  mistakes(w: Vector): number {
    let wrong = 0;
    for (let i = 0; i < this.points.length; i++) if (this.margin(w, i) <= 0) wrong++;
    return wrong;
  }

  private readonly erred: number[] = [0]; // mistakes among the first k updates

  /** How many of the first k updates were made on mistakes, each visit counted once. */
  mistaken(k: number): number {
    for (let e = this.erred.length - 1; e < k; e++) {
      const first = e === 0 || this.updates.t[e] !== this.updates.t[e - 1];
      const wrong = first && this.margin(this.weights(e), this.updates.i[e]) <= 0;
      this.erred.push(this.erred[e] + (wrong ? 1 : 0));
    }
    return this.erred[k];
  }

  /** Lives of all hypotheses up to visit T that have lived at all. */
  lives(T: number): { k: number; life: number }[] {
    const out: { k: number; life: number }[] = [];
    const last = this.made(T);
    for (let k = 0; k <= last; k++) {
      const life = this.life(k, T);
      if (life > 0) out.push({ k, life });
    }
    return out;
  }

  /** Votes for points after T visits: for minus against, or with many rows for each class. */
  votes(T: number, xs: ArrayLike<number>[]): number[][] {
    const out = xs.map(() => new Array<number>(this.rows).fill(0));
    if (this.space.kind === "kernel") return this.kernelVotes(T, xs, out);
    for (const { k, life } of this.lives(T)) {
      const w = this.weights(k);
      xs.forEach((x, n) => {
        const scores = this.scores(w, x);
        if (this.rows === 1) out[n][0] += scores[0] > 0 ? life : -life;
        else out[n][first(scores)] += life;
      });
    }
    return out;
  }

  private kernelVotes(T: number, xs: ArrayLike<number>[], out: number[][]): number[][] {
    // Each hypothesis is a step on from the one before: one kernel value for each update.
    const last = this.made(T);
    const scores = new Float64Array(xs.length);
    const columns = new Map<number, Float64Array>();
    for (let k = 0; k <= last; k++) {
      const life = this.life(k, T);
      for (let n = 0; n < xs.length; n++) out[n][0] += scores[n] > 0 ? life : -life;
      if (k === last) break;
      const i = this.updates.i[k];
      let column = columns.get(i);
      if (column === undefined) {
        column = Float64Array.from(xs, (x) => kernel(this.space, this.points[i], x));
        columns.set(i, column);
      }
      const s = this.updates.a[k] * this.labels[i];
      for (let n = 0; n < xs.length; n++) scores[n] = this.updates.c[k] * scores[n] + s * column[n];
    }
    return out;
  }
}

/** The number of the first of the largest. */
export function first(values: ArrayLike<number>): number {
  let best = 0;
  for (let c = 1; c < values.length; c++) if (values[c] > values[best]) best = c;
  return best;
}
