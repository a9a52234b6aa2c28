// Scores of some points under all hypotheses of a run, by one step from each to the next.

import { firstLargest, type Course } from "./course";
import type { Point } from "./spaces";

/** What is made of the scores: those of the newest hypothesis, their mean over visits, or votes. */
export type Way = "newest" | "mean" | "votes";

/** Where a tally can go on from: what it had after k updates. */
export interface Mark {
  k: number;
  scores: Float64Array[];
  totals: Float64Array[];
}

const MARKS = 40; // of a tally, at most
const APART = 50; // updates between two marks, at least
const KEPT = 3; // tallies: on the examples, those held out, and the points of a picture

/** The tallies of a run that were asked for last. */
export class Tallies {
  private readonly made: Tally[] = [];

  constructor(private readonly course: Course) {}

  /** Scores after T visits, in a row for each point. */
  read(way: Way, T: number, xs: Point[]): number[][] {
    return this.find(way, xs).read(T);
  }

  /** The marks that a tally has laid so far. */
  marks(way: Way, xs: Point[]): Mark[] {
    return this.find(way, xs).marks;
  }

  /** Take over the marks of a tally that another thread has made. */
  takeOver(way: Way, xs: Point[], marks: Mark[]): void {
    this.find(way, xs).marks.push(...marks);
  }

  private find(way: Way, xs: Point[]): Tally {
    const at = this.made.findIndex((one) => one.way === way && one.isOf(xs));
    const [tally] = at < 0 ? [new Tally(this.course, way, xs)] : this.made.splice(at, 1);
    this.made.unshift(tally);
    this.made.length = Math.min(this.made.length, KEPT);
    return tally;
  }
}

class Tally {
  readonly marks: Mark[] = []; // in the order of updates
  private counted = 0; // hypotheses whose lives have ended, and that are in `totals`
  private scores: Float64Array[] = []; // of the newest hypothesis, for each row
  private totals: Float64Array[] = [];
  private readonly values = new Map<number, Float64Array>(); // of the kernel, of examples with the points
  private readonly scratch: Float64Array;
  private readonly columns: Float64Array[]; // the coordinates of the points

  constructor(private readonly course: Course, readonly way: Way, private readonly xs: Point[]) {
    this.scratch = new Float64Array(xs.length);
    this.columns = Array.from(xs[0] ?? [], (_, j) => Float64Array.from(xs, (x) => x[j]));
    this.begin();
  }

  isOf(xs: Point[]): boolean {
    return this.xs.length === xs.length && this.xs.every((x, n) => x === xs[n] || (x.length === 2 && x[0] === xs[n][0] && x[1] === xs[n][1]));
  }

  read(T: number): number[][] {
    const { course } = this;
    const last = course.made(T);
    this.goNear(last);
    while (this.counted < last) {
      this.enter(this.totals, course.life(this.counted, Infinity));
      this.step(this.counted++);
      this.mark();
    }
    const visits = T - course.begun;
    if (this.way === "newest" || (this.way === "mean" && visits <= 0)) return this.table(this.scores, 1);
    const now = this.totals.map((row) => row.slice());
    this.enter(now, course.life(last, T));
    return this.table(now, this.way === "mean" ? visits : 1);
  }

  /** Go back, or on to a mark, if that is nearer to hypothesis k. */
  private goNear(k: number): void {
    const mark = this.marks.findLast((one) => one.k <= k);
    if (mark && (this.counted > k || mark.k > this.counted)) {
      this.counted = mark.k;
      this.scores = mark.scores.map((row) => row.slice());
      this.totals = mark.totals.map((row) => row.slice());
    } else if (this.counted > k) this.begin();
  }

  private mark(): void {
    const apart = Math.max(APART, Math.ceil(this.course.count / MARKS));
    if (this.counted % apart || this.counted <= (this.marks[this.marks.length - 1]?.k ?? 0)) return;
    const copied = (rows: Float64Array[]) => rows.map((row) => row.slice());
    this.marks.push({ k: this.counted, scores: copied(this.scores), totals: copied(this.totals) });
  }

  private begin(): void {
    const { space } = this.course;
    const start = this.course.weights(0);
    const first = this.xs.map((x) => space.scores(start, x));
    this.counted = 0;
    this.scores = Array.from({ length: space.rows }, (_, r) => Float64Array.from(first, (row) => row[r]));
    this.totals = this.scores.map(() => new Float64Array(this.xs.length));
  }

  /** A row for each point, divided by a number. */
  private table(rows: Float64Array[], by: number): number[][] {
    return this.xs.map((_, n) => rows.map((row) => row[n] / by));
  }

  /** Count the newest hypothesis, as often as it has lived. */
  private enter(totals: Float64Array[], life: number): void {
    if (life === 0 || this.way === "newest") return;
    if (this.way === "mean") {
      totals.forEach((total, r) => addTimes(total, life, this.scores[r]));
    } else if (totals.length === 1) {
      const [[scores], [total]] = [this.scores, totals];
      for (let n = 0; n < total.length; n++) total[n] += scores[n] > 0 ? life : -life;
    } else {
      for (let n = 0; n < this.xs.length; n++) totals[firstLargest(this.scores.map((row) => row[n]))][n] += life;
    }
  }

  /** Go to the next hypothesis: c·(what was before) + a·(signed example). */
  private step(e: number): void {
    const { i, r, a, c } = this.course.updates;
    const label = this.course.labels[i[e]];
    const products = this.productsOf(i[e]);
    if (c[e] !== 1) for (const row of this.scores) for (let n = 0; n < row.length; n++) row[n] *= c[e];
    if (this.scores.length === 1) addTimes(this.scores[0], a[e] * label, products);
    else {
      addTimes(this.scores[label], a[e], products);
      addTimes(this.scores[r[e]], -a[e], products);
    }
  }

  /** The inner products of an example with the points; kernel values are kept. */
  private productsOf(i: number): Float64Array {
    const { space } = this.course;
    const known = this.values.get(i);
    if (known) return known;
    const made = space.kind === "kernel" ? new Float64Array(this.xs.length) : this.scratch;
    space.products(i, this.xs, this.columns, made);
    if (space.kind === "kernel") this.values.set(i, made);
    return made;
  }
}

function addTimes(to: Float64Array, factor: number, values: Float64Array): void {
  for (let n = 0; n < to.length; n++) to[n] += factor * values[n];
}
