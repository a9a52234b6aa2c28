// Readouts: what is made of the hypotheses of one run to predict with, after any number of visits.
//
// READOUTS are those that the page folds itself. Of any other, a document may carry samples.

import { countBelow, firstLargest, STRIDE, type Fold } from "./folds";
import type { Reads } from "./schema";
import type { Vector } from "./spaces";

/** The newest hypothesis, and what all readouts share. */
export class Last {
  /** `normalised`: scores are those of hypotheses divided by their lengths. */
  constructor(readonly fold: Fold, readonly normalised = false) {}

  /** The weights after T visits. */
  weights(T: number): Vector {
    return this.fold.weights(this.fold.made(T));
  }

  /** Scores of points after T visits. */
  scores(T: number, xs: ArrayLike<number>[]): number[][] {
    const w = this.weights(T);
    const length = this.normalised ? this.length(T, w) || 1 : 1;
    return xs.map((x) => this.fold.space.scores(w, x).map((s) => s / length));
  }

  /** What normalised scores are divided by. */
  protected length(_T: number, w: Vector): number {
    return this.fold.norm(w);
  }
}

/** The mean of the hypotheses over the visits they survived; of normalised ones, their sum. */
class Averaged extends Last {
  private readonly sums: Vector[] = []; // of hypotheses times their lives, every STRIDE updates
  private readonly norms2: number[] = [0]; // |w|² of the hypotheses, where they are normalised

  override weights(T: number): Vector {
    const { fold } = this;
    const k = fold.made(T);
    const visits = T - fold.begun;
    if (visits <= 0) return fold.weights(k);
    const sum = this.sumBefore(k);
    this.gather(sum, fold.weights(k), fold.life(k, T), k);
    if (!this.normalised) for (let j = 0; j < sum.length; j++) sum[j] /= visits;
    return sum;
  }

  /** Each hypothesis was divided by its own length already. */
  protected override length(): number {
    return 1;
  }

  /** The sum of the hypotheses before update k, whose lives have ended. */
  private sumBefore(k: number): Vector {
    const { fold, sums } = this;
    if (sums.length === 0) sums.push(new Float64Array(fold.space.rows * fold.space.width));
    const near = Math.floor(k / STRIDE);
    while (sums.length <= near) sums.push(this.sumOn(sums.length - 1, sums.length * STRIDE));
    return this.sumOn(near, k);
  }

  /** The sum at a checkpoint, and the hypotheses after it up to update k. */
  private sumOn(checkpoint: number, k: number): Vector {
    const sum = this.sums[checkpoint].slice();
    const from = checkpoint * STRIDE;
    if (from < k) this.fold.each(from, k - 1, (e, w) => this.gather(sum, w, this.fold.life(e, Infinity), e));
    return sum;
  }

  /** Add hypothesis e, as often as it has lived. */
  private gather(sum: Vector, w: Vector, life: number, e: number): void {
    if (this.normalised) this.measure(w, e);
    const length = this.normalised ? Math.sqrt(this.norms2[e]) : 1;
    if (life === 0 || length === 0) return;
    for (let j = 0; j < sum.length; j++) sum[j] += (life / length) * w[j];
  }

  /** |w|² after update e by that before it: c²|w|² + 2acm + a²K(x, x). */
  private measure(w: Vector, e: number): void {
    const { fold, norms2 } = this;
    if (norms2.length !== e + 1 || e >= fold.count) return;
    const { i, a, c } = fold.updates;
    const m = fold.margin(w, i[e]);
    const grown = c[e] ** 2 * norms2[e] + 2 * a[e] * c[e] * m + a[e] ** 2 * fold.space.exampleNorm2(i[e]);
    norms2.push(Math.max(0, grown));
  }
}

/** Every hypothesis votes, once for each visit it survived. Its weights are the last ones. */
class Voted extends Last {
  /** For minus against, or with many rows the votes for each class. */
  override scores(T: number, xs: ArrayLike<number>[]): number[][] {
    const { fold } = this;
    const votes = xs.map(() => new Array<number>(fold.space.rows).fill(0));
    const count = (n: number, scores: ArrayLike<number>, life: number) => {
      if (scores.length === 1) votes[n][0] += scores[0] > 0 ? life : -life;
      else votes[n][firstLargest(scores)] += life;
    };
    const last = fold.made(T);
    if (fold.space.column && fold.space.rows === 1) {
      this.eachKernelScore(last, xs, (k, n, score) => count(n, [score], fold.life(k, T)));
    } else {
      fold.each(0, last, (k, w) => {
        const life = fold.life(k, T);
        if (life > 0) xs.forEach((x, n) => count(n, fold.space.scores(w, x), life));
      });
    }
    return votes;
  }

  /** A hypothesis is a step on from the one before: one kernel value for each update and point. */
  private eachKernelScore(
    last: number, xs: ArrayLike<number>[], visit: (k: number, n: number, score: number) => void,
  ): void {
    const { updates, labels, space } = this.fold;
    const scores = new Float64Array(xs.length);
    const columns = new Map<number, Float64Array>();
    for (let k = 0; k <= last; k++) {
      scores.forEach((score, n) => visit(k, n, score));
      if (k === last) break;
      const i = updates.i[k];
      const column = columns.get(i) ?? space.column!(i, xs);
      columns.set(i, column);
      const s = updates.a[k] * labels[i];
      for (let n = 0; n < xs.length; n++) scores[n] = updates.c[k] * scores[n] + s * column[n];
    }
  }
}

interface Held {
  k: number;
  run: number;
  errors: number;
}

/** The hypothesis with the longest run of visits without a mistake, and fewer errors each time. */
export class Pocket extends Last {
  private readonly records: Held[] = [];
  private offered = 0; // hypotheses whose lives have ended and that are in `records` if they won

  override weights(T: number): Vector {
    return this.fold.weights(this.held(T).k);
  }

  /** The hypothesis in the pocket after T visits. */
  held(T: number): Held {
    const { fold, records } = this;
    const k = fold.made(T);
    for (; this.offered < k; this.offered++) {
      const won = this.better(this.offered, fold.updates.t[this.offered], records[records.length - 1]);
      if (won) records.push(won);
    }
    const best = records.findLast((record) => record.k < k);
    return this.better(k, T, best) ?? best ?? { k, run: 0, errors: -1 };
  }

  /** As the library does, scores are divided by the length of the newest hypothesis. */
  protected override length(T: number): number {
    return this.fold.norm(super.weights(T));
  }

  /** Hypothesis k at visit T, if it beats the best so far. */
  private better(k: number, T: number, best: Held | undefined): Held | null {
    // The visit that made it is not one that it survived.
    const run = T - this.fold.born(k) - (k > 0 ? 1 : 0);
    if (run <= (best?.run ?? 0)) return null;
    const errors = this.fold.mistakes(this.fold.weights(k));
    return best === undefined || errors < best.errors ? { k, run, errors } : null;
  }
}

/** The hypothesis of one visit of the whole run, which the library has drawn. */
class Random extends Last {
  constructor(fold: Fold, normalised: boolean, private readonly drawn: number) {
    super(fold, normalised);
  }

  /** Until the drawn visit comes, the newest hypothesis is shown. */
  override weights(T: number): Vector {
    return super.weights(Math.min(T, this.drawn + 1));
  }
}

/** A readout that only the library can fold: its hypotheses at some moments. */
export class Sampled extends Last {
  constructor(fold: Fold, normalised: boolean, private readonly reads: Reads) {
    super(fold, normalised);
  }

  /** The latest sample at or before T; before the first one, the start. */
  override weights(T: number): Vector {
    const n = this.sample(T);
    return n < 0 ? this.fold.weights(0) : Float64Array.from(this.reads.w[n].flat());
  }

  /** Visits done when the sample shown at T was taken. */
  takenAt(T: number): number {
    const n = this.sample(T);
    return n < 0 ? this.fold.begun : this.reads.t[n];
  }

  private sample(T: number): number {
    return countBelow(this.reads.t, T + 1) - 1;
  }
}

/** Readouts that the page folds itself; `drawn` is the visit that a random one takes. */
export const READOUTS: Record<string, (fold: Fold, normalised: boolean, drawn: number | null) => Last> = {
  last: (fold, normalised) => new Last(fold, normalised),
  averaged: (fold, normalised) => new Averaged(fold, normalised),
  voted: (fold, normalised) => new Voted(fold, normalised),
  pocket: (fold, normalised) => new Pocket(fold, normalised),
  random: (fold, normalised, drawn) => new Random(fold, normalised, drawn ?? Infinity),
};
