// Regions are exact: every point is in the piece of its winner, and borders are where winners change.

import { describe, expect, it } from "vitest";
import type { View, XY } from "../src/geometry";
import { stream } from "../src/held";
import { regions, type Voter } from "../src/regions";

const view: View = { x: [-1, 1], y: [-1, 1] };

function winner(voters: Voter[], classes: number, [x, y]: XY): number {
  const totals = new Array<number>(classes).fill(0);
  for (const { scores, weight, against } of voters) {
    const values = scores.map(([a, b, c]) => a * x + b * y + c);
    const choice = values.indexOf(Math.max(...values));
    if (against === undefined) totals[choice] += weight;
    else totals[against] += choice === 1 ? weight : -weight;
  }
  return totals.indexOf(Math.max(...totals));
}

const inside = (polygon: XY[], [x, y]: XY) =>
  polygon.every(([px, py], n) => {
    const [qx, qy] = polygon[(n + 1) % polygon.length];
    return (qx - px) * (y - py) - (qy - py) * (x - px) >= -1e-12;
  });

const area = (polygon: XY[]) =>
  polygon.reduce((sum, [x, y], n) => {
    const [u, v] = polygon[(n + 1) % polygon.length];
    return sum + (x * v - u * y) / 2;
  }, 0);

/** Hypotheses of a few kinds, the same for the same seed. */
function voters(kind: "one" | "many classes" | "votes" | "votes for classes" | "against the rest" | "through zero", seed: number): [Voter[], number] {
  const draw = stream(seed);
  const line = (): [number, number, number] => [draw() - 0.5, draw() - 0.5, kind === "through zero" ? 0 : 0.4 * (draw() - 0.5)];
  const weight = () => 1 + Math.floor(20 * draw());
  const signed = () => ({ scores: [[0, 0, 0], line()] as Voter["scores"], weight: weight() });
  if (kind === "one") return [[signed()], 2];
  if (kind === "many classes") return [[{ scores: [line(), line(), line(), line()], weight: 1 }], 4];
  if (kind === "votes for classes") return [Array.from({ length: 40 }, () => ({ scores: [line(), line(), line()], weight: weight() })), 3];
  if (kind === "against the rest") return [Array.from({ length: 30 }, (_, n) => ({ ...signed(), against: n % 3 })), 3];
  const made = Array.from({ length: 80 }, signed);
  // The same hypothesis again, and its opposite, as a run that goes in circles makes them.
  const turned = ([a, b, c]: Voter["scores"][number]): Voter["scores"][number] => [-2 * a || 0, -2 * b || 0, -2 * c || 0];
  return [[...made, ...made.slice(0, 20), ...made.slice(20, 40).map((one) => ({ ...one, scores: one.scores.map(turned) }))], 2];
}

describe.each(["one", "many classes", "votes", "votes for classes", "against the rest", "through zero"] as const)("regions of %s", (kind) => {
  it.each([1, 2])("are those of the winners, seed %i", (seed) => {
    const [given, classes] = voters(kind, seed);
    const { pieces, borders } = regions(view, given, classes);
    expect(pieces.reduce((sum, one) => sum + area(one.polygon), 0)).toBeCloseTo(4, 6);
    const draw = stream(seed + 99);
    let wrong = 0;
    for (let n = 0; n < 300; n++) {
      const p: XY = [2 * draw() - 1, 2 * draw() - 1];
      const right = winner(given, classes, p);
      if (!pieces.some((one) => one.winner === right && inside(one.polygon, p))) wrong++;
    }
    expect(wrong).toBe(0);
    let same = 0;
    for (const [p, q] of borders) {
      const [dx, dy] = [q[0] - p[0], q[1] - p[1]];
      const length = Math.hypot(dx, dy);
      if (length < 1e-6) continue;
      const middle = (side: number): XY => [(p[0] + q[0]) / 2 - (side * 1e-9 * dy) / length, (p[1] + q[1]) / 2 + (side * 1e-9 * dx) / length];
      if (winner(given, classes, middle(1)) === winner(given, classes, middle(-1))) same++;
    }
    expect([same, borders.length > 0]).toEqual([0, true]);
    // Along a path, every change of the winner crosses a border.
    for (let n = 0; n < 100; n++) {
      const [p, q]: XY[] = [[2 * draw() - 1, 2 * draw() - 1], [2 * draw() - 1, 2 * draw() - 1]];
      if (winner(given, classes, p) === winner(given, classes, q)) continue;
      const side = (from: XY, to: XY, [x, y]: XY) => (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]);
      const met = borders.some(([u, v]) => {
        const room = 1e-6; // rounding
        const longer: [XY, XY] = [[u[0] - room * Math.sign(v[0] - u[0]), u[1] - room * Math.sign(v[1] - u[1])], [v[0] + room * Math.sign(v[0] - u[0]), v[1] + room * Math.sign(v[1] - u[1])]];
        return side(p, q, longer[0]) * side(p, q, longer[1]) <= 0 && side(longer[0], longer[1], p) * side(longer[0], longer[1], q) <= 0;
      });
      expect(met).toBe(true);
    }
  });
});
