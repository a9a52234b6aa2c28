// What is known of a run at a moment: the numbers of the table, and errors along the time line.

import type { Replay } from "./replay";
import type { Verdict } from "./schema";

/** What is known of a panel at a moment. */
export interface Stats {
  updates: number;
  mistakes: number | null; // null where the journal cannot tell, or not in time
  passes: number;
  wrong: number;
  margin: number | null; // least y·f/|w| of the hypothesis that predicts
  angle: number | null; // to the best separator, in degrees
}

export function stats(run: Replay, T: number, verdict: Verdict | null): Stats {
  const wrong = run.wrong(T).filter(Boolean).length;
  const fold = run.folds[0];
  let margin: number | null = null;
  let angle: number | null = null;
  const single = run.folds.length === 1;
  if (single) {
    const w = run.weights(T)[0];
    const length = fold.norm(w);
    if (length > 0) {
      margin = Infinity;
      for (let i = 0; i < run.points.length; i++) margin = Math.min(margin, fold.margin(w, i));
      margin /= length;
    }
    const best = verdict?.verdict === "separable" ? verdict : null;
    if (best?.weights && best.weights.length === 1 && length > 0 && fold.space.kind !== "kernel") {
      const { bias } = run.document.data;
      const u = [...best.weights[0], bias ? best.intercept![0] / bias : 0];
      const dot = u.reduce((s, v, j) => s + v * w[j], 0);
      const cos = dot / (Math.hypot(...u) * length);
      angle = (Math.acos(Math.max(-1, Math.min(1, cos))) * 180) / Math.PI;
    }
  }
  const made = run.folds.reduce((sum, f) => sum + countGroups(f.updates.t, f.made(T)), 0);
  const light = fold.space.kind === "kernel" ? fold.count * run.points.length < 2e5 : fold.count < 20_000;
  const mistakes = light && !run.bounded ? run.mistaken(T) : null;
  return { updates: made, mistakes, passes: run.passes(T), wrong, margin, angle };
}

/** Entries of one visit are one update. */
function countGroups(t: number[], k: number): number {
  let groups = 0;
  for (let e = 0; e < k; e++) if (e === 0 || t[e] !== t[e - 1]) groups++;
  return groups;
}

export interface Errors {
  T: number;
  wrong: number; // a fraction, of the examples learned
  missed: number | null; // of those held out
}

/** Errors at moments along a run, for a sparkline; `missed` tells of the examples held out. */
export function errorCurve(run: Replay, missed: ((T: number) => boolean[]) | null, most = 160): Errors[] {
  const all = [0, ...run.moments, run.visits];
  const heavy = run.points.length * Math.max(1, run.folds[0].count);
  const limit = run.readout === "voted" && heavy > 2e5 ? 24 : Math.max(24, Math.min(most, Math.floor(4e5 / run.points.length)));
  const stride = Math.max(1, Math.ceil(all.length / limit));
  const readout = run.readout === "voted" && heavy > 2e6 ? "last" : run.readout;
  const part = (flags: boolean[]) => flags.filter(Boolean).length / Math.max(1, flags.length);
  return all
    .filter((_, n) => n % stride === 0 || n === all.length - 1)
    .map((T) => ({ T, wrong: part(run.wrong(T, readout)), missed: missed ? part(missed(T)) : null }));
}
