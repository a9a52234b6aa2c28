// Runs in kernel form: the hypothesis is a sum over examples, and examples are visited in blocks.

import type { Engine } from "./engine";
import type { Buffer } from "./journal";
import type { Held } from "./memory";
import type { Values } from "./record";
import * as rounding from "./rounding";
import { Run, type Settings } from "./run";
import type { Similarity } from "./similarity";
import type { Dual, Sharing } from "./spaces";

const BLOCK = 512; // examples that are scored at a time

/** Kernel values of all pairs of examples, which the runs of a model share. */
export class Gram {
  readonly values: Float64Array;
  readonly diagonal: Float64Array;
  readonly error: number; // of a value, at most

  constructor(similarity: Similarity, readonly points: number[][]) {
    this.values = similarity.table(points);
    this.diagonal = Float64Array.from(points, (_, i) => this.values[i * points.length + i]);
    this.error = similarity.rounding(points);
  }

  /** The values of some examples with one another. */
  part(engine: Engine, numbers: ArrayLike<number>): Held {
    const [size, n] = [numbers.length, this.points.length];
    const K = engine.memory.array("<f8", [size, size]);
    const values = K.values as Float64Array;
    for (let a = 0; a < size; a++) {
      const row = numbers[a] * n;
      for (let b = 0; b < size; b++) values[a * size + b] = this.values[row + numbers[b]];
    }
    return K;
  }

  /** The scores of some examples under factors of all, in a row for each example. */
  scores(factors: Float64Array, rows: number, examples: ArrayLike<number>): Float64Array {
    const n = this.points.length;
    const used = [...this.points.keys()].filter((j) => {
      for (let r = 0; r < rows; r++) if (factors[r * n + j] !== 0) return true;
      return false;
    });
    const scores = new Float64Array(examples.length * rows);
    for (let v = 0; v < examples.length; v++) {
      const row = examples[v] * n;
      for (let r = 0; r < rows; r++) {
        let total = 0;
        for (const j of used) total += this.values[row + j] * factors[r * n + j];
        scores[v * rows + r] = total;
      }
    }
    return scores;
  }
}

export class KernelRun extends Run {
  private readonly everyone = Uint32Array.from({ length: this.count }, (_, i) => i);

  constructor(
    engine: Engine, space: Dual, settings: Settings, buffer: Buffer,
    protected readonly gram: Gram, private readonly sharing: Sharing,
  ) {
    super(engine, space, settings, buffer, gram.points);
  }

  override advance(): void {
    const visits = this.drawVisits();
    this.open();
    for (let first = 0; first < visits.length; first += BLOCK) {
      const block = visits.subarray(first, first + BLOCK);
      let done = 0;
      while (done < block.length) done += this.engine.memory.scope(() => this.visit(block.subarray(done), first + done));
    }
    this.close();
  }

  protected drawVisits(): Uint32Array {
    return this.order.draw(this.count, this.random, this.engine);
  }

  /** Visit the examples of a block, the first of which is at some place in the pass; those done. */
  protected visit(visits: Uint32Array, _place: number): number {
    const { memory } = this.engine;
    const { rows } = this.space;
    const scores = this.gram.scores(this.hypothesis, rows, visits);
    const h = memory.array("<f8", rows === 1 ? [visits.length] : [visits.length, rows], scores);
    const own = this.dual.values as Float64Array;
    const result = this.engine.call(`online ${rows === 1 ? "Gram" : "GramRows"}`, {
      space: this.blockSpace(this.gram.part(this.engine, visits), visits),
      y: memory.array(this.y.type, [visits.length], Array.from(visits, (i) => this.settings.labels[i])),
      weights: this.weights,
      visits: memory.array("<u4", [visits.length], Array.from(visits.keys())),
      rule: this.rule, h,
      dual: memory.array("<f8", [own.length ? visits.length : 0], own.length ? Array.from(visits, (i) => own[i]) : []),
      n: this.counters(), journal: this.buffer.record,
    });
    const [done, used, counted] = result as [number, number, number[]];
    const numbers = (this.buffer.record.i as Held).part(0, used).values as BigInt64Array;
    numbers.forEach((at, e) => (numbers[e] = BigInt(visits[Number(at)])));
    this.apply(used);
    this.tally(counted);
    this.record(this.buffer.taken(used));
    return done;
  }

  /** Make updates on the factors. */
  private apply(used: number): void {
    const { memory } = this.engine;
    const journal = this.buffer.part(used);
    const [lives, total] = [memory.array("<i8", [used + 1]), memory.array("<f8", this.space.shape)];
    const space = this.loopSpace;
    this.engine.call(`replay ${this.space.loops}`, { space, y: this.y, journal, lives, h: this.h, total });
    const dual = this.dual.values as Float64Array;
    if (dual.length) this.hypothesis.forEach((factor, i) => (dual[i] = Math.abs(factor)));
  }

  /** The space in which some examples are settled. */
  private blockSpace(K: Held, visits: ArrayLike<number>): Values {
    const { memory } = this.engine;
    const norms2 = memory.array("<f8", [visits.length], Array.from(visits, (i) => this.gram.diagonal[i]));
    const { rows } = this.space;
    if (rows === 1) return { K, norms2, bias: 0 };
    return { K, norms2, bias: 0, ...this.sharing, scores: memory.array("<f8", [rows]), shares: memory.array("<f8", [rows]) };
  }

  /** By algebra it is known; afresh it would cost all kernel values. */
  protected override squared(): number {
    return this.n.norm2;
  }

  protected override review(margins: Float64Array): [number, number] {
    const { rows } = this.space;
    const scores = this.gram.scores(this.hypothesis, rows, this.everyone);
    let [mistakes, low] = [0, Infinity];
    this.settings.labels.forEach((own, i) => {
      let m = own * scores[i];
      if (rows > 1) {
        let best = -Infinity;
        for (let c = 0; c < rows; c++) if (c !== own) best = Math.max(best, scores[i * rows + c]);
        m = scores[i * rows + own] - best;
      }
      margins[i] = m;
      low = Math.min(low, m);
      if (m <= 0) mistakes++;
    });
    return [mistakes, low];
  }

  protected override unsettled(): boolean {
    const { memory } = this.engine;
    const { rows } = this.space;
    return memory.scope(() => {
      const scores = this.gram.scores(this.hypothesis, rows, this.everyone);
      const h = memory.array("<f8", rows === 1 ? [this.count] : [this.count, rows], scores);
      const space = this.blockSpace(memory.array("<f8", [0, 0]), this.everyone);
      const asked = { space, y: this.y, rule: this.rule, h, dual: this.dual, n: this.counters() };
      return this.engine.call(`unsettled ${rows === 1 ? "Gram" : "GramRows"}`, asked) as boolean;
    });
  }

  protected override get radius2(): number {
    return this.space.copies * this.gram.diagonal.reduce((most, v) => Math.max(most, v), 0);
  }

  protected override get radiusAbove(): number {
    return rounding.longest(this.radius2 + 2 * this.gram.error, 1);
  }

  /** What rounding may add to a margin, in the kernel values and in their sum. */
  protected override error(): number {
    const factors = this.hypothesis;
    const size = factors.reduce((sum, v) => sum + Math.abs(v), 0);
    const used = factors.reduce((count, v) => count + (v === 0 ? 0 : 1), 0);
    const terms = 2 * rounding.UNIT * (used + 3) * this.radiusAbove ** 2;
    return size * (this.gram.error + terms) * (1 + 1e-9);
  }

  /** Nothing is proved of margins in the space of a kernel. */
  protected override prove(): void {}

  override get bracket(): [number, number] {
    return [-Infinity, Infinity];
  }
}
