// What is known of a run at a moment: the numbers of the table, and errors along the time line.

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
  const length = run.courses.length === 1 ? course.norm(w) : 0;
  if (length === 0) return { margin: null, angle: null };
  const margin = Math.min(...run.points.map((_, i) => course.margin(w, i))) / length;
  const best = course.space.kind === "kernel" ? null : bestSeparator(run, verdict);
  if (!best) return { margin, angle: null };
  const cos = dot(best, w) / (Math.hypot(...best) * length);
  return { margin, angle: (Math.acos(Math.max(-1, Math.min(1, cos))) * 180) / Math.PI };
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

/** Errors at moments along a run, for a sparkline; `missed` is about the examples held out. */
export function errorCurve(run: Replay, missed: ((T: number) => boolean[]) | null, most = 160): Errors[] {
  const all = [0, ...run.moments, run.visits];
  const heavy = run.points.length * Math.max(1, run.courses[0].count);
  const limit = run.readout === "voted" && heavy > 2e5 ? 24 : Math.max(24, Math.min(most, Math.floor(4e5 / run.points.length)));
  const stride = Math.max(1, Math.ceil(all.length / limit));
  const readout = run.readout === "voted" && heavy > 2e6 ? "last" : run.readout;
  const part = (flags: boolean[]) => flags.filter(Boolean).length / Math.max(1, flags.length);
  return all
    .filter((_, n) => n % stride === 0 || n === all.length - 1)
    .map((T) => ({ T, wrong: part(run.wrong(T, readout)), missed: missed ? part(missed(T)) : null }));
}
