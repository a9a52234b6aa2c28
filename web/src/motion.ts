// One update as one movement: what is drawn at each moment of it.
//
// The point lights up with its score, y·x slides from the origin to the tip of w, w swings, and
// the line with its tint turns after it. Playing, stepping and scrubbing all pass through here.

import type { View, XY } from "./geometry";

/** A line a·x + b·y + c = 0. */
export type Line = [number, number, number];

/** How far each part of the movement is, from 0 to 1. */
export interface Stage {
  light: number;
  slide: number;
  swing: number;
  turn: number;
}

/** An update of a linear hypothesis in the plane. */
export interface Movement {
  x: XY; // the example
  score: number; // y(w·x + b) before the update
  step: XY; // what is added to w
  tip: XY; // of w when the step is added to it: w itself, stretched if the rule does that
  before: Line;
  after: Line;
}

/** What is drawn at a moment of a movement, in the units of the data. */
export interface Shot {
  light: number;
  w: XY;
  step: { from: XY; to: XY; shown: number };
  line: Line | null; // null where there is none yet
  shown: number; // how visible the line is
  turned: boolean; // whether the new hypothesis already decides
}

const PARTS: Record<keyof Stage, [number, number]> = {
  light: [0, 0.2], slide: [0.15, 0.5], swing: [0.5, 0.78], turn: [0.66, 0.95],
};

/** Slow at both ends. */
function eased(f: number): number {
  const u = Math.max(0, Math.min(1, f));
  return u * u * (3 - 2 * u);
}

/** The parts of a movement at a fraction of its time. */
export function stageAt(fraction: number): Stage {
  const part = ([from, to]: [number, number]) => eased((fraction - from) / (to - from));
  return { light: part(PARTS.light), slide: part(PARTS.slide), swing: part(PARTS.swing), turn: part(PARTS.turn) };
}

export function between(p: XY, q: XY, f: number): XY {
  return [p[0] + f * (q[0] - p[0]), p[1] + f * (q[1] - p[1])];
}

/** The line on its way: the normal turns the shorter way round, the offset goes along. */
export function turned(before: Line, after: Line, f: number): Line | null {
  const sizes = [before, after].map(([a, b]) => Math.hypot(a, b));
  if (f >= 1 || sizes[0] === 0) return sizes[1] === 0 ? null : after;
  if (f <= 0 || sizes[1] === 0) return before;
  const from = Math.atan2(before[1], before[0]);
  const turn = Math.atan2(after[1], after[0]) - from;
  const angle = from + f * (turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI)));
  const offset = (1 - f) * (before[2] / sizes[0]) + (f * after[2]) / sizes[1];
  return [Math.cos(angle), Math.sin(angle), offset];
}

/** What to draw of a movement at a fraction of its time; `unit` is the scale of w. */
export function shotAt(movement: Movement, fraction: number, unit = 1): Shot {
  const { light, slide, swing, turn } = stageAt(fraction);
  const { before, after, step } = movement;
  const tip: XY = [movement.tip[0] * unit, movement.tip[1] * unit];
  const from = between([0, 0], tip, slide);
  const size = 1 + slide * (unit - 1); // from the point's own place to the scale of w
  return {
    light,
    w: between([before[0] * unit, before[1] * unit], [after[0] * unit, after[1] * unit], swing),
    step: { from, to: [from[0] + step[0] * size, from[1] + step[1] * size], shown: light * (1 - turn) },
    line: turned(before, after, turn),
    shown: before[0] === 0 && before[1] === 0 ? turn : 1,
    turned: turn >= 0.5,
  };
}

/** The scale at which all tips are inside a view that has the origin in it: 1 if they fit. */
export function unitFor(tips: Iterable<ArrayLike<number>>, view: View): number {
  const ROOM = 0.92;
  let unit = 1;
  for (const tip of tips) {
    [view.x, view.y].forEach(([low, high], j) => {
      const room = ROOM * (tip[j] < 0 ? low : high);
      if (tip[j] !== 0) unit = Math.min(unit, room / tip[j]);
    });
  }
  return unit;
}

/** Whether the origin is inside a view. */
export function hasOrigin({ x, y }: View): boolean {
  return x[0] < 0 && x[1] > 0 && y[0] < 0 && y[1] > 0;
}

/** Whether the reader has asked for less motion; where there is no screen, nothing moves. */
export function still(): boolean {
  return typeof matchMedia === "undefined" || matchMedia("(prefers-reduced-motion: reduce)").matches;
}
