// Errors along a run, for the time line.

import type { Held } from "./plan";
import type { Replay } from "./replay";

const MOST = 160; // moments of a curve
const WORK = 4e7; // scores that a curve may take, roughly

export interface Errors {
  T: number;
  wrong: number; // a fraction, of the examples learned
  missed: number | null; // of those held out
}

/** Errors at moments along a run, the last one included. */
export function errorCurve(run: Replay, held: Held | null): Errors[] {
  const all = [0, ...run.moments, run.visits];
  const [first] = run.courses;
  // Where votes or kernels go from step to step, a moment more costs a look at each point.
  const steps = run.readout === "voted" || first.space.kind === "kernel";
  const each = run.points.length * (run.readout === "pocket" && first.space.kind === "kernel" ? first.space.width : run.courses.length);
  const begin = steps ? each * first.count : 0;
  const limit = Math.max(8, Math.min(MOST, Math.floor((WORK - begin) / (20 * each))));
  const stride = Math.max(1, Math.ceil(all.length / limit));
  return all
    .filter((_, n) => n % stride === 0 || n === all.length - 1)
    .map((T) => ({
      T,
      wrong: part(run.wrong(T)),
      missed: held ? part(run.misses(T, held.points, held.labels)) : null,
    }));
}

const part = (flags: boolean[]) => flags.filter(Boolean).length / Math.max(1, flags.length);
