// What is known of a run at a moment: the numbers of the table.

import { bestSeparator, dot } from "./proof";
import type { Replay } from "./engine/replay";
import type { Verdict } from "./schema";

/** What is known of a panel at a moment. */
export interface Stats {
  updates: number;
  mistakes: number | null; // null where the journal does not show them, or counting would take too long
  passes: number;
  wrong: number;
  margin: number | null; // least y·f/|w| of the hypothesis that predicts
  angle: number | null; // to the best separator, in degrees
}

export function stats(run: Replay, T: number, verdict: Verdict | null): Stats {
  const [course] = run.courses;
  const cost = course.space.kind === "kernel" ? course.count * run.points.length : 10 * course.count;
  const countable = cost < 2e5 && !run.bounded;
  return {
    updates: run.courses.reduce((sum, f) => sum + countGroups(f.updates.t, f.made(T)), 0),
    mistakes: countable ? run.mistaken(T) : null,
    passes: run.passes(T),
    wrong: run.wrong(T).filter(Boolean).length,
    ...geometry(run, T, verdict),
  };
}

/** Margin and angle, which only a single hypothesis has. */
function geometry(run: Replay, T: number, verdict: Verdict | null): Pick<Stats, "margin" | "angle"> {
  const [course] = run.courses;
  const [w] = run.weights(T);
  if (run.courses.length > 1) return { margin: null, angle: null };
  const { least, length } = measured(run, T, w);
  if (length === 0) return { margin: null, angle: null };
  const margin = least / length;
  const best = course.space.kind === "kernel" ? null : bestSeparator(run, verdict);
  if (!best) return { margin, angle: null };
  const cos = dot(best, w) / (Math.hypot(...best) * length);
  return { margin, angle: (Math.acos(Math.max(-1, Math.min(1, cos))) * 180) / Math.PI };
}

/** The least margin of an example, and |w|. */
function measured(run: Replay, T: number, w: Float64Array): { least: number; length: number } {
  const [course] = run.courses;
  const [readout] = run.readouts();
  if (course.space.kind !== "kernel" || course.space.rows > 1 || !readout.tallied || readout.tallied === "votes") {
    return { least: Math.min(...run.points.map((_, i) => course.margin(w, i))), length: course.norm(w) };
  }
  // The scores are there already, and <w, w> is the sum of the factors times the scores.
  const scores = run.scores(T, run.points).map(([score]) => score);
  const norm2 = scores.reduce((sum, score, i) => sum + w[i] * score, 0);
  return { least: Math.min(...scores.map((score, i) => course.labels[i] * score)), length: Math.sqrt(Math.max(0, norm2)) };
}

/** Entries of one visit are one update. */
function countGroups(t: number[], k: number): number {
  let groups = 0;
  for (let e = 0; e < k; e++) if (e === 0 || t[e] !== t[e - 1]) groups++;
  return groups;
}
