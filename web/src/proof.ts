// The convergence proof on a run: its inequalities, number by number.

import type { Replay } from "./engine/replay";
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

/** The weights of the best separator as the run has them, the bias last; null where none is known. */
export function bestSeparator(run: Replay, verdict: Verdict | null): number[] | null {
  if (verdict?.verdict !== "separable" || verdict.weights?.length !== 1) return null;
  const { bias } = run.document.data;
  return [...verdict.weights[0], bias ? verdict.intercept![0] / bias : 0];
}

/** (R/γ)², of which the bound on updates is the whole part; null where there is no bound. */
export function squaredRatio({ radius, margin, mistake_bound: bound }: Verdict): number | null {
  return bound === null || margin === null ? null : (radius / margin) ** 2;
}

export const dot = (u: ArrayLike<number>, w: ArrayLike<number>) =>
  Array.from(u).reduce((sum, v, j) => sum + v * w[j], 0);

/** Why the proof is not about a run; null if it is. */
export function outside(run: Replay): string | null {
  const { config } = run.document;
  if (run.classes !== 2) return "The proof is of two classes.";
  if (config.space.kind !== "linear") return "The proof is of steps along examples in the plane itself.";
  if (!config.from_zero) return "The proof is of runs that begin at zero; this one does not.";
  const { a, c } = run.document.updates;
  if (c.some((v) => v !== 1) || a.some((v) => v <= 0)) return `The proof is of steps w + a·y·x; ${config.algorithm} also scales w or steps back.`;
  const course = run.courses[0];
  for (let e = 0; e < Math.min(course.count, 2000); e++) {
    if (course.margin(course.weights(e), course.updates.i[e]) > 1e-9 * (1 + course.norm(course.weights(e)))) {
      return `The proof needs updates on mistakes only; ${config.algorithm} also steps for the sake of a margin.`;
    }
  }
  return null;
}

/** The inequalities after each update, or at most `most` of them. */
export function curves(run: Replay, verdict: Verdict, most = 600): ProofCurves {
  const [course] = run.courses;
  const best = bestSeparator(run, verdict);
  const gamma = best ? (verdict.margin ?? 0) : 0;
  const R = verdict.radius;
  const out: ProofCurves = {
    k: [], low: [], along: [], length: [], high: [], distance: [], ceiling: [],
    gamma, R, bound: verdict.mistake_bound,
  };
  const longest = Math.max(1e-300, ...course.updates.a);
  const alpha = gamma > 0 ? (longest * R ** 2) / gamma : NaN;
  const stride = Math.max(1, Math.ceil(course.count / most));
  let steps = 0; // the sum of a
  let steps2 = 0; // the sum of a²
  course.each(0, course.count, (k, w) => {
    if (k > 0) {
      steps += course.updates.a[k - 1];
      steps2 += course.updates.a[k - 1] ** 2;
    }
    if (k % stride && k !== course.count) return;
    const along = best ? dot(best, w) / Math.hypot(...best) : NaN;
    const norm2 = course.space.norm2(w);
    out.k.push(k);
    out.low.push(gamma * steps);
    out.along.push(along);
    out.length.push(Math.sqrt(norm2));
    out.high.push(R * Math.sqrt(steps2));
    out.distance.push(norm2 - 2 * alpha * along + alpha ** 2);
    out.ceiling.push(alpha ** 2 + R ** 2 * steps2 - 2 * alpha * gamma * steps);
  });
  return out;
}
