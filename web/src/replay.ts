// A document replayed: all its runs, by the readout it was made with or by another.

import { first, Fold, type Vector } from "./folds";
import type { Document } from "./schema";

export type Readout = "last" | "averaged" | "voted" | "pocket" | "random";

/** A document replayed: one fold, or one for each class against the rest. */
export class Replay {
  readonly document: Document;
  readonly folds: Fold[];
  readonly unit: boolean; // scores are those of hypotheses divided by their lengths
  readonly visits: number; // of the longest fold
  readonly moments: number[]; // visits done after each update, of all folds, in order

  constructor(document: Document) {
    this.document = document;
    const runs = [document, ...document.others];
    this.unit = document.config.space.kind === "kernel" && document.config.settings.normalise === true;
    this.folds = runs.map((run) => new Fold(run, document.data, document.config.space, this.unit));
    this.visits = Math.max(...runs.map((run) => Number(run.counters.t ?? 0)));
    const at = new Set<number>();
    for (const fold of this.folds) for (const t of fold.updates.t) at.add(t + 1);
    this.moments = [...at].sort((a, b) => a - b);
  }

  get readout(): Readout {
    return this.document.config.readout as Readout;
  }

  get classes(): number {
    return this.document.data.classes.length;
  }

  get points(): number[][] {
    return this.document.data.points;
  }

  get targets(): number[] {
    return this.document.data.targets;
  }

  /** Moments passed when T visits are done. */
  step(T: number): number {
    let low = 0;
    let high = this.moments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.moments[middle] <= T) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The hypothesis on a budget changes by more than the visited example, which nothing names. */
  get bounded(): boolean {
    return (this.document.config.settings.budget ?? null) !== null;
  }

  /** Weights by a readout after T visits, for each fold; a vote has none, and gives the last. */
  weights(T: number, readout: Readout = this.readout): Vector[] {
    return this.folds.map((fold) => {
      if (readout === "averaged") return fold.averaged(T);
      if (readout === "pocket") return fold.pocket(T).weights;
      // The library has drawn a visit of the whole run; until it comes, the newest must do.
      const until = readout === "random" ? Math.min(T, (this.document.config.drawn ?? T) + 1) : T;
      return fold.weights(fold.made(until));
    });
  }

  /** What scores are divided by, for each fold; as the library, a pocket by the newest length. */
  private lengths(T: number, ws: Vector[], readout: Readout): number[] {
    if (!this.unit || readout === "averaged") return ws.map(() => 1);
    return this.folds.map((fold, f) => fold.length(readout === "pocket" ? fold.weights(fold.made(T)) : ws[f]) || 1);
  }

  /** Scores of points by a readout: one with two classes, else one for each class. */
  scores(T: number, xs: ArrayLike<number>[], readout: Readout = this.readout): number[][] {
    if (readout === "voted") {
      const parts = this.folds.map((fold) => fold.votes(T, xs));
      return xs.map((_, n) => parts.flatMap((part) => part[n]));
    }
    const ws = this.weights(T, readout);
    const lengths = this.lengths(T, ws, readout);
    return xs.map((x) => this.folds.flatMap((fold, f) => fold.scores(ws[f], x).map((s) => s / lengths[f])));
  }

  /** Class numbers, ties as the library breaks them. */
  predicted(T: number, xs: ArrayLike<number>[], readout: Readout = this.readout): number[] {
    return this.scores(T, xs, readout).map(choice);
  }

  /** Which examples a readout gets wrong. */
  wrong(T: number, readout: Readout = this.readout): boolean[] {
    return this.predicted(T, this.points, readout).map((c, i) => c !== this.targets[i]);
  }

  /** Updates on mistakes when T visits are done; those for the sake of a margin are left out. */
  mistaken(T: number): number {
    return this.folds.reduce((sum, fold) => sum + fold.mistaken(fold.made(T)), 0);
  }

  /** Passes that have ended when T visits are done. */
  passes(T: number): number {
    let done = 0;
    let count = 0;
    for (const visits of this.document.passes.visits) {
      done += visits;
      if (done > T) break;
      count++;
    }
    return count;
  }

  /** Visits done at the end of each pass. */
  ends(): number[] {
    let done = this.folds[0].begun;
    const longest = [this.document, ...this.document.others].reduce((a, b) =>
      b.passes.visits.length > a.passes.visits.length ? b : a,
    );
    return longest.passes.visits.map((visits) => (done += visits));
  }
}

/** The class that scores speak for. */
export function choice(scores: number[]): number {
  return scores.length === 1 ? (scores[0] > 0 ? 1 : 0) : first(scores);
}
