// A run at a moment as hypotheses that vote in the plane.

import type { Line } from "./motion";
import type { Voter } from "./regions";
import type { Replay } from "./engine/replay";
import type { Vector } from "./engine/spaces";

const MOST = 600; // hypotheses that are divided exactly: of more, borders turn within a pixel
const NOTHING: Line = [0, 0, 0];

/** Hypotheses that decide after T visits; null where no lines do, or where they are too many. */
export function voters(run: Replay, T: number, readout: string): Voter[] | null {
  if (run.courses[0].space.kind === "kernel" || run.points[0].length !== 2) return null;
  if (readout === "voted") return votes(run, T);
  const lines = run.weights(T, readout).flatMap((w, f) => linesOf(run, f, w));
  return [{ scores: lines.length === 1 ? [NOTHING, ...lines] : lines, weight: 1 }];
}

function votes(run: Replay, T: number): Voter[] | null {
  const count = run.courses.reduce((sum, course) => sum + course.made(T) + 1, 0);
  if (count > MOST) return null;
  const alone = run.courses.length === 1;
  return run.courses.flatMap((course, f) => {
    const found: Voter[] = [];
    course.each(0, course.made(T), (k, w) => {
      const weight = course.life(k, T);
      if (weight === 0) return;
      const lines = linesOf(run, f, w);
      const scores = lines.length === 1 ? [NOTHING, ...lines] : lines;
      found.push(alone ? { scores, weight } : { scores, weight, against: f });
    });
    return found;
  });
}

/** The scores of a hypothesis in the units of the data. */
function linesOf(run: Replay, course: number, w: Vector): Line[] {
  const { bias, offset } = run.document.data;
  return run.courses[course].asRows(w).map(([a, b, c]): Line => [a, b, c * bias + offset]);
}
