// What the film of the proof shows: the vectors of a run, turned so that w* points to the right.

import { scaleLinear } from "d3-scale";
import type { Replay } from "../../engine/replay";
import type { View, XY } from "../../geometry";
import { between, stageAt, type Stage } from "../../motion";
import { bestSeparator, outside, squaredRatio } from "../../proof";
import type { Verdict } from "../../schema";

export const [WIDE, HIGH] = [750, 600]; // of the canvas

/** A run with the quantities of the proof. Of each vector the first number is along w*, the second across. */
export interface Film {
  gamma: number; // the best margin
  R: number; // the length of the longest example
  bound: number; // (R/γ)²
  steps: XY[]; // what each mistake adds
  tips: XY[]; // w after 0, 1, ... mistakes
  scores: number[]; // y(w·x) of each mistake, before its update
  at: number[]; // the example of each mistake
  signed: XY[]; // all examples, times their labels
}

/** A moment of a film: mistakes, and how far the last one has moved. */
export interface Moment {
  k: number;
  stage: Stage;
}

/** The film of a run; null if the proof is not about it. */
export function filmOf(run: Replay | null, verdict: Verdict | null): Film | null {
  if (!run || outside(run)) return null;
  const best = bestSeparator(run, verdict);
  if (!best || run.document.data.bias !== 0 || run.points[0].length !== 2) return null;
  const size = Math.hypot(best[0], best[1]);
  const [c, s] = [best[0] / size, best[1] / size];
  const turn = (x: ArrayLike<number>, by = 1): XY => [by * (c * x[0] + s * x[1]), by * (c * x[1] - s * x[0])];
  const [course] = run.courses;
  const { i, a } = course.updates;
  const tips: XY[] = [];
  const scores: number[] = [];
  course.each(0, course.count, (k, w) => {
    tips.push(turn(w));
    if (k < course.count) scores.push(course.margin(w, i[k]));
  });
  return {
    gamma: verdict!.margin!,
    R: verdict!.radius,
    bound: squaredRatio(verdict!)!,
    steps: i.map((example, e) => turn(run.points[example], a[e] * course.labels[example])),
    tips,
    scores,
    at: i,
    signed: run.points.map((x, n) => turn(x, course.labels[n])),
  };
}

/** The moment after T visits, with the last update moved by a fraction. */
export function momentAt(run: Replay, T: number, fraction: number): Moment {
  const [course] = run.courses;
  const k = course.made(T);
  const arriving = k > 0 && course.updates.t[k - 1] + 1 === T;
  return { k, stage: stageAt(arriving ? fraction : 1) };
}

/** Where the tip of w is. */
export function tipAt(film: Film, { k, stage }: Moment): XY {
  return k === 0 ? [0, 0] : between(film.tips[k - 1], film.tips[k], stage.swing);
}

/** From where the step on its way starts: the origin first, then the tip of w. */
export function stepFrom(film: Film, { k, stage }: Moment): XY {
  return between([0, 0], film.tips[k - 1], stage.slide);
}

/** Mistakes whose steps have arrived. */
export function arrived({ k, stage }: Moment): number {
  return stage.swing < 1 ? k - 1 : k;
}

/** Mistakes as a number that grows evenly through an update. */
export function grown({ k, stage }: Moment): number {
  return k === 0 ? 0 : k - 1 + stage.swing;
}

/** A view as wide as the canvas, around a part of the plane. */
function viewAround([left, right]: XY, [low, high]: XY): View {
  const ROOM = 1.14;
  const unit = ROOM * Math.max((right - left) / WIDE, (high - low) / HIGH);
  const [x, y] = [(left + right) / 2, (low + high) / 2];
  return { x: [x - (unit * WIDE) / 2, x + (unit * WIDE) / 2], y: [y - (unit * HIGH) / 2, y + (unit * HIGH) / 2] };
}

/** A view of the whole run, and of every step from the origin. */
export function viewOf(film: Film): View {
  const all = [...film.tips, ...film.steps, [0, 0]];
  const [xs, ys] = [all.map(([x]) => x), all.map(([, y]) => y)];
  return viewAround([Math.min(...xs), Math.max(...xs)], [Math.min(...ys), Math.max(...ys)]);
}

/** A view of the last circle that the tip stays inside. */
export function circleView(film: Film): View {
  const radius = film.R * Math.sqrt(Math.max(1, film.steps.length));
  return viewAround([-radius, radius], [-radius, radius]);
}

/** Where a view is drawn on the canvas. */
export function onCanvas(view: View): { x: (v: number) => number; y: (v: number) => number; to: (p: XY) => XY } {
  const x = scaleLinear(view.x, [0, WIDE]);
  const y = scaleLinear(view.y, [HIGH, 0]);
  return { x, y, to: (p) => [x(p[0]), y(p[1])] };
}

/** The directions of all separators, as angles from w*. */
export function coneOf(film: Film): [number, number] {
  const angles = film.signed.map(([x, y]) => Math.atan2(y, x));
  return [Math.max(...angles) - Math.PI / 2, Math.min(...angles) + Math.PI / 2];
}
