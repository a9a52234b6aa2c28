// Readouts: what is made of the hypotheses of one run to predict with, after any number of visits.
//
// They are those of src/rosenblatt/theory/readouts.py, which folds a run once, to its end. Of a
// readout that the page does not know, a document may carry samples.

import { countBelow, type Course } from "./course";
import type { Point, Vector } from "./spaces";
import type { Config, Reads } from "../schema";
import { Tallies, type Way } from "./tally";

/** The newest hypothesis, and what all readouts share. */
export class Last {
  readonly tallies: Tallies;

  /** `normalised`: scores are those of hypotheses divided by their lengths. */
  constructor(readonly course: Course, readonly normalised = false) {
    this.tallies = new Tallies(course);
  }

  /** The weights after T visits. */
  weights(T: number): Vector {
    return this.course.weights(this.course.made(T));
  }

  /** Scores of points after T visits. */
  scores(T: number, xs: Point[]): number[][] {
    return this.tallied ? this.tallies.read(this.tallied, T, xs) : this.scoresByWeights(T, xs);
  }

  /** The same for points that will not be asked about again: a vote has no other way. */
  scoresOnce(T: number, xs: Point[]): number[][] {
    return this.tallied === "votes" ? this.scores(T, xs) : this.scoresByWeights(T, xs);
  }

  private scoresByWeights(T: number, xs: Point[]): number[][] {
    const w = this.weights(T);
    const length = this.normalised ? this.length(T, w) || 1 : 1;
    return xs.map((x) => this.course.space.scores(w, x).map((s) => s / length));
  }

  /** How scores are made from step to step; null where they are made from weights. */
  get tallied(): Way | null {
    const faster = !this.normalised && this.course.space.kind === "kernel";
    return this.way === "votes" || faster ? this.way : null;
  }

  /** How scores could be made from step to step. */
  protected get way(): Way | null {
    return "newest";
  }

  /** What normalised scores are divided by. */
  protected length(_T: number, w: Vector): number {
    return this.course.norm(w);
  }
}

/** The mean of the hypotheses over the visits they survived. */
class Averaged extends Last {
  protected override get way(): Way {
    return "mean";
  }

  override weights(T: number): Vector {
    const { course } = this;
    const k = course.made(T);
    const visits = T - course.begun;
    const newest = course.weights(k);
    if (visits <= 0) return newest;
    const life = course.life(k, T);
    return course.sumBefore(k).map((sum, j) => (sum + life * newest[j]) / visits);
  }
}

/** The sum of the hypotheses, each divided by its length, over the visits they survived. */
class NormalisedSum extends Last {
  protected override get way(): null {
    return null;
  }

  private readonly norms2: number[] = [0]; // |w|² of the hypotheses

  override weights(T: number): Vector {
    const { course } = this;
    const last = course.made(T);
    const sum = new Float64Array(course.space.rows * course.space.width);
    course.each(0, last, (k, w) => {
      this.measure(w, k);
      const [life, length] = [course.life(k, T), Math.sqrt(this.norms2[k])];
      if (life > 0 && length > 0) for (let j = 0; j < sum.length; j++) sum[j] += (life / length) * w[j];
    });
    return sum;
  }

  /** Each hypothesis was divided by its own length already. */
  protected override length(): number {
    return 1;
  }

  /** |w|² after update e by that before it: c²|w|² + 2acm + a²K(x, x). */
  private measure(w: Vector, e: number): void {
    const { course, norms2 } = this;
    if (norms2.length !== e + 1 || e >= course.count) return;
    const { i, a, c } = course.updates;
    const m = course.margin(w, i[e]);
    const grown = c[e] ** 2 * norms2[e] + 2 * a[e] * c[e] * m + a[e] ** 2 * course.space.exampleNorm2(i[e]);
    norms2.push(Math.max(0, grown));
  }
}

/** Every hypothesis votes, once for each visit it survived. Its weights are the last ones. */
class Voted extends Last {
  /** For minus against, or with many rows the votes for each class. */
  protected override get way(): Way {
    return "votes";
  }
}

interface Pocketed {
  k: number;
  run: number; // visits without a mistake
  since: number; // visits done when it came into the pocket
  errors: number;
}

/** The hypothesis with the longest run of visits without a mistake (Gallant 1990). */
export class Pocket extends Last {
  protected override get way(): null {
    return null;
  }

  private readonly records: Pocketed[] = [];
  private offered = 0; // hypotheses whose lives have ended and that are in `records` if they won

  /** With the ratchet, an exchange needs fewer training errors. */
  constructor(course: Course, normalised = false, private readonly ratchet = true) {
    super(course, normalised);
  }

  override weights(T: number): Vector {
    return this.course.weights(this.held(T).k);
  }

  /** The hypothesis in the pocket after T visits. */
  held(T: number): Pocketed {
    const { course, records } = this;
    const k = course.made(T);
    for (; this.offered < k; this.offered++) {
      const won = this.better(this.offered, course.updates.t[this.offered], records[records.length - 1]);
      if (won) records.push(won);
    }
    const best = records.findLast((record) => record.k < k);
    return this.better(k, T, best) ?? best ?? { k, run: 0, since: 0, errors: -1 };
  }

  /** As the library does, scores are divided by the length of the newest hypothesis. */
  protected override length(T: number): number {
    return this.course.norm(super.weights(T));
  }

  /** Hypothesis k at visit T, if it beats the best so far. */
  private better(k: number, T: number, best: Pocketed | undefined): Pocketed | null {
    // The visit that made it is not one that it survived.
    const first = this.course.born(k) + (k > 0 ? 1 : 0);
    const [run, longest] = [T - first, best?.run ?? 0];
    if (run <= longest) return null;
    const errors = this.ratchet ? this.course.mistakes(this.course.weights(k)) : 0;
    const won = !this.ratchet || best === undefined || errors < best.errors;
    return won ? { k, run, since: first + longest + 1, errors } : null;
  }
}

/** The hypothesis with the fewest training errors: the pocket of orders that choose examples. */
class Fewest extends Last {
  protected override get way(): null {
    return null;
  }

  private readonly best: number[] = []; // of the first k hypotheses
  private errors = Infinity;

  override weights(T: number): Vector {
    const k = this.course.made(T);
    this.offerUpTo(k);
    return this.course.weights(this.best[k]);
  }

  private offerUpTo(last: number): void {
    const { course, best } = this;
    if (best.length > last) return;
    course.each(best.length, last, (k, w) => {
      const errors = course.mistakes(w);
      best.push(errors < this.errors ? k : best[k - 1]);
      this.errors = Math.min(this.errors, errors);
    });
  }
}

/** The hypothesis of one visit of the whole run, which the library has drawn. */
class Random extends Last {
  protected override get way(): null {
    return null;
  }

  constructor(course: Course, normalised: boolean, private readonly drawn: number) {
    super(course, normalised);
  }

  /** Until the drawn visit comes, the newest hypothesis is shown. */
  override weights(T: number): Vector {
    return super.weights(Math.min(T, this.drawn + 1));
  }
}

/** A readout that only the library can fold: its hypotheses at some moments. */
export class Sampled extends Last {
  protected override get way(): null {
    return null;
  }

  constructor(course: Course, normalised: boolean, private readonly reads: Reads) {
    super(course, normalised);
  }

  /** The latest sample at or before T; before the first one, the start. */
  override weights(T: number): Vector {
    const n = this.sample(T);
    return n < 0 ? this.course.weights(0) : Float64Array.from(this.reads.w[n].flat());
  }

  /** Visits done when the sample shown at T was taken. */
  takenAt(T: number): number {
    const n = this.sample(T);
    return n < 0 ? this.course.begun : this.reads.t[n];
  }

  private sample(T: number): number {
    return countBelow(this.reads.t, T + 1) - 1;
  }
}

const PICKING = ["least", "violated", "nearest"]; // orders that choose an example for each visit

/** Readouts that the page folds itself, for a run of some configuration. */
export const READOUTS: Record<string, (course: Course, normalised: boolean, config: Config) => Last> = {
  last: (course, normalised) => new Last(course, normalised),
  averaged: (course, normalised) => (normalised ? new NormalisedSum(course, true) : new Averaged(course)),
  voted: (course, normalised) => new Voted(course, normalised),
  pocket: (course, normalised, { order, settings, algorithm }) =>
    PICKING.includes(order ?? "") && algorithm !== "PocketPerceptron"
      ? new Fewest(course, normalised)
      : new Pocket(course, normalised, settings.ratchet !== false),
  random: (course, normalised, { drawn }) => new Random(course, normalised, drawn ?? Infinity),
};
