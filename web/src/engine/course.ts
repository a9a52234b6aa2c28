// The hypotheses of one run, one after the other: the compiled loops make its updates again.
//
// Checkpoints keep any of them near. A moment is a number of visits T: updates with t < T have been
// made.

import type { Entries } from "../schema";
import type { Engine } from "./engine";
import type { ElementType, Held } from "./memory";
import type { Values } from "./record";
import type { Space, Vector } from "./spaces";

export const STRIDE = 100; // updates between two checkpoints

/** A run as a document has it, as far as its hypotheses depend on it. */
export type Recorded = Pick<Entries, "start" | "updates" | "checkpoints"> & { labels: number[] };

const COLUMNS: Record<"t" | "i" | "r" | "a" | "c", ElementType> = { t: "<i8", i: "<i8", r: "<i4", a: "<f8", c: "<f8" };

/** The labels of examples in memory: signs, or class numbers where there are many scores. */
export function heldLabels(engine: Engine, labels: ArrayLike<number>, rows: number): Held {
  return engine.memory.array(rows === 1 ? "|i1" : "<i4", [labels.length], labels);
}

export class Course {
  readonly count: number; // of updates
  readonly begun: number; // visits before the first
  readonly updates: Recorded["updates"];
  readonly labels: number[]; // signs, or class numbers
  private readonly states: Vector[]; // at the checkpoints
  private readonly sums: Vector[]; // there, of the hypotheses before times their lives
  private readonly sent = new Map<number, number[][]>(); // weights that came with the run
  private readonly sentAt: number[];
  private readonly onMistakes: number[] = [0]; // updates on mistakes among the first k
  private near: { k: number; state: Vector };
  private readonly signs: Int8Array | Int32Array; // the labels as loops take them

  constructor(private readonly engine: Engine, readonly space: Space, run: Recorded, private readonly points: number[][]) {
    this.updates = run.updates;
    this.labels = run.labels;
    this.signs = space.rows === 1 ? Int8Array.from(run.labels) : Int32Array.from(run.labels);
    this.count = run.updates.t.length;
    // A journal without updates has the counters of its end for a start.
    this.begun = this.count ? Number(run.start.counters.t ?? 0) : 0;
    run.checkpoints.k.forEach((k, n) => this.sent.set(k, run.checkpoints.w[n]));
    this.sentAt = [...this.sent.keys()].sort((a, b) => a - b);
    this.states = [space.fromRows(engine, run.start.w)];
    this.sums = [new Float64Array(space.size)];
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
    return this.space.weights(this.state(k)).slice();
  }

  /** The sum of the weights of the hypotheses before update k, each times its life. */
  sumBefore(k: number): Vector {
    const at = this.checkpoint(k);
    const [state, sum] = [this.states[at / STRIDE].slice(), this.sums[at / STRIDE].slice()];
    if (at < k) this.advance(state, sum, at, k);
    return this.space.weights(sum).slice();
  }

  /** The weights after each of `from` to `to` updates; they are overwritten as it goes on. */
  each(from: number, to: number, visit: (k: number, w: Vector) => void): void {
    const state = this.state(from).slice();
    visit(from, this.space.weights(state));
    if (from < to) this.engine.memory.scope(() => this.visitEach(state, from, to, visit));
  }

  private visitEach(state: Vector, from: number, to: number, visit: (k: number, w: Vector) => void): void {
    const { engine, space } = this;
    const one = this.held(1);
    const { journal } = one;
    const step = engine.prepared(`replay ${space.loops}`, one);
    let h = one.h.values as Vector;
    h.set(state);
    for (let k = from; k < to; k++) {
      if (h.buffer.byteLength === 0) h = one.h.values as Vector; // memory has grown meanwhile
      const known = this.sent.get(k + 1);
      if (known) h.set(space.fromRows(engine, known));
      else {
        this.write(journal, k, k + 1);
        step();
      }
      visit(k + 1, space.weights(h));
    }
  }

  /** Weights as the rows they consist of. */
  asRows(w: Vector): number[][] {
    return this.space.asRows(w);
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

  private state(k: number): Vector {
    if (this.near.k === k) return this.near.state;
    let at = this.checkpoint(k);
    let state = this.states[at / STRIDE];
    if (this.near.k < k && this.near.k >= at) ({ k: at, state } = this.near);
    state = state.slice();
    this.advance(state, null, at, k);
    this.near = { k, state };
    return state;
  }

  /** The last checkpoint at or before update k, laid if it was not. */
  private checkpoint(k: number): number {
    const last = Math.floor(k / STRIDE);
    while (this.states.length <= last) {
      const first = (this.states.length - 1) * STRIDE;
      const [state, sum] = [this.states[this.states.length - 1].slice(), this.sums[this.sums.length - 1].slice()];
      this.advance(state, sum, first, first + STRIDE);
      this.states.push(state);
      this.sums.push(sum);
    }
    return last * STRIDE;
  }

  /** Make some updates on a hypothesis; add to `sum` those before each, times their lives. */
  private advance(state: Vector, sum: Vector | null, from: number, to: number): void {
    this.engine.memory.scope(() => {
      const steps = this.steps(from, to);
      let at = from;
      const first = countBelow(this.sentAt, from + 1);
      for (let n = first; n < this.sentAt.length && this.sentAt[n] <= to; n++) {
        const k = this.sentAt[n];
        if (sum) steps(state, sum, at, k);
        state.set(this.space.fromRows(this.engine, this.sent.get(k)!));
        at = k;
      }
      if (at < to) steps(state, sum, at, to);
    });
  }

  /** A function that makes updates within a stretch, which it keeps in memory. */
  private steps(from: number, to: number): (state: Vector, sum: Vector | null, at: number, until: number) => void {
    const { engine, space } = this;
    const held = this.held(to - from);
    const { h, total, y, space: record } = held;
    this.write(held.journal, from, to);
    const loop = `replay ${space.loops}`;
    return (state, sum, at, until) => {
      const columns = Object.entries(held.journal).map(([name, column]) => [name, column.part(at - from, until - from)]);
      const journal = Object.fromEntries(columns) as Values;
      const alive = held.lives.part(0, until - at + 1);
      const counted = alive.values as BigInt64Array;
      for (let n = 0; n < counted.length; n++) {
        // The last one is the first of the next stretch.
        counted[n] = sum && at + n < until ? BigInt(this.life(at + n, Infinity)) : 0n;
      }
      (h.values as Float64Array).set(state);
      if (sum) (total.values as Float64Array).set(sum);
      engine.call(loop, { space: record, y, journal, lives: alive, h, total });
      state.set(h.values as Float64Array);
      if (sum) sum.set(total.values as Float64Array);
    };
  }

  /** The arguments of a replay of some updates. */
  private held(count: number) {
    const { engine, space } = this;
    const { memory } = engine;
    const columns = Object.entries(COLUMNS).map(([name, type]) => [name, memory.array(type, [count])]);
    return {
      space: space.record(engine),
      y: memory.array(space.rows === 1 ? "|i1" : "<i4", [this.signs.length], this.signs),
      journal: Object.fromEntries(columns) as Record<keyof typeof COLUMNS, Held>,
      lives: memory.array("<i8", [count + 1]),
      h: memory.array("<f8", space.shape),
      total: memory.array("<f8", space.shape),
    };
  }

  /** Write updates to columns; a replay does not read their visits. */
  private write(columns: Record<keyof typeof COLUMNS, Held>, from: number, to: number): void {
    const { i, r, a, c } = this.updates;
    const [examples, rivals, steps, scales] = [columns.i.values, columns.r.values, columns.a.values, columns.c.values];
    for (let e = from; e < to; e++) {
      examples[e - from] = BigInt(i[e]);
      rivals[e - from] = r[e];
      steps[e - from] = a[e];
      scales[e - from] = c[e];
    }
  }
}

/** How many of some ascending numbers are below a limit. */
export function countBelow(ascending: ArrayLike<number>, limit: number): number {
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
