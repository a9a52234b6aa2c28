// The convergence proof on a run: its inequalities, number by number.

import type { Replay } from "./replay";
import type { Verdict } from "./schema";

export interface ProofCurves {
  k: number[];
  low: number[]; // gamma times the sum of the steps
  along: number[]; // w·w*
  length: number[]; // |w|
  high: number[]; // R times the root of the sum of the squared steps
  distance: number[]; // |w - alpha w*|²
  ceiling: number[];
  gamma: number;
  R: number;
  bound: number | null;
}

/** Why the proof is not about a run; null if it is. */
export function outside(run: Replay): string | null {
  const { config } = run.document;
  if (run.classes !== 2) return "The proof is of two classes.";
  if (config.space.kind !== "linear") return "The proof is of steps along examples in the plane itself.";
  if (!config.from_zero) return "The proof is of runs that begin at zero; this one does not.";
  const { a, c } = run.document.updates;
  if (c.some((v) => v !== 1) || a.some((v) => v <= 0)) return `The proof is of steps w + a·y·x; ${config.algorithm} also scales w or steps back.`;
  const fold = run.folds[0];
  for (let e = 0; e < Math.min(fold.count, 2000); e++) {
    if (fold.margin(fold.weights(e), fold.updates.i[e]) > 1e-9 * (1 + fold.norm(fold.weights(e)))) {
      return `The proof needs updates on mistakes only; ${config.algorithm} also steps for the sake of a margin.`;
    }
  }
  return null;
}

export function curves(run: Replay, verdict: Verdict, most = 600): ProofCurves {
  const fold = run.folds[0];
  const { bias } = run.document.data;
  const separable = verdict.verdict === "separable" && verdict.weights !== null;
  const gamma = separable ? (verdict.margin ?? 0) : 0;
  const R = verdict.radius;
  const best = separable
    ? [...verdict.weights![0], bias ? verdict.intercept![0] / bias : 0]
    : [1, 0, 0];
  const size = Math.hypot(...best);
  const unit = best.map((v) => v / size);
  const out: ProofCurves = {
    k: [], low: [], along: [], length: [], high: [], distance: [], ceiling: [],
    gamma, R, bound: verdict.mistake_bound,
  };
  const biggest = Math.max(1e-300, ...fold.updates.a);
  const alpha = gamma > 0 ? (biggest * R * R) / gamma : NaN;
  const stride = Math.max(1, Math.ceil(fold.count / most));
  let total = 0;
  let squares = 0;
  for (let k = 0; k <= fold.count; k++) {
    if (k > 0) {
      total += fold.updates.a[k - 1];
      squares += fold.updates.a[k - 1] ** 2;
    }
    if (k % stride && k !== fold.count) continue;
    const w = fold.weights(k);
    const along = unit.reduce((s, v, j) => s + v * w[j], 0);
    const length = fold.norm(w);
    out.k.push(k);
    out.low.push(gamma * total);
    out.along.push(separable ? along : NaN);
    out.length.push(length);
    out.high.push(R * Math.sqrt(squares));
    out.distance.push(length ** 2 - 2 * alpha * along + alpha ** 2);
    out.ceiling.push(alpha ** 2 + R * R * squares - 2 * alpha * gamma * total);
  }
  return out;
}
