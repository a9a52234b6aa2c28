// The film of the proof: what it shows of a run are the inequalities of the theorem.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { engine } from "../src/engine/current";
import { learn } from "../src/engine/learn";
import { Replay } from "../src/engine/replay";
import { decide } from "../src/engine/separability";
import { drawToy } from "../src/engine/toys";
import { arrived, coneOf, filmOf, grown, momentAt, stepFrom, tipAt, type Film } from "../src/lessons/film/film";
import type { Registry, Verdict } from "../src/schema";

const golden = JSON.parse(readFileSync(fileURLToPath(new URL("./learned.json", import.meta.url)), "utf8")) as { registry: Registry };
const { registry } = golden;

function runOf(parameters: Record<string, number>, seed: number, bias = false): [Replay, Verdict] {
  const { points, labels } = drawToy(registry.generators, "halfplanes", parameters, seed);
  const algorithm = registry.algorithms.find(({ name }) => name === "Perceptron")!;
  const task = { points, labels, algorithm, parameters: { fit_intercept: bias }, seed: 0, start: null, held: null };
  const document = learn(engine(), task, registry.limits, registry.library);
  return [new Replay(document), decide({ data: { points, labels }, fit_intercept: bias })];
}

const film = (margin: number, seed: number): Film => filmOf(...runOf({ n: 16, margin }, seed))!;

describe("the film of a run", () => {
  it.each([[0.15, 50], [0.15, 3], [0.07, 50], [0.3, 8], [0.03, 1]])("shows the theorem at margin %d, seed %d", (margin, seed) => {
    const { gamma, R, bound, steps, tips, scores, at, signed } = film(margin, seed);
    const round = 1 + 1e-12;
    expect(gamma).toBeCloseTo(margin, 12);
    expect(steps.length).toBeLessThanOrEqual(bound * round);
    for (const [n, [along]] of steps.entries()) {
      expect(along * round).toBeGreaterThanOrEqual(gamma);
      expect(scores[n]).toBeLessThanOrEqual(0);
      expect(steps[n]).toEqual(signed[at[n]]);
    }
    for (const [k, tip] of tips.entries()) {
      const length = Math.hypot(...tip);
      expect(k * gamma).toBeLessThanOrEqual(tip[0] * round);
      expect(tip[0]).toBeLessThanOrEqual(length * round);
      expect(length).toBeLessThanOrEqual(Math.sqrt(k) * R * round);
    }
  });

  it("ends inside the cone of separators", () => {
    const one = film(0.07, 50);
    const [low, high] = coneOf(one);
    const [x, y] = one.tips.at(-1)!;
    expect(Math.atan2(y, x)).toBeGreaterThan(low);
    expect(Math.atan2(y, x)).toBeLessThan(high);
    expect(high - low).toBeLessThan(coneOf(film(0.15, 50)).reduce((from, to) => to - from));
  });

  it("moves a step from the origin to the tip, and then w", () => {
    const [run, verdict] = runOf({ n: 16, margin: 0.15 }, 50);
    const one = filmOf(run, verdict)!;
    const T = run.moments[3];
    const begun = momentAt(run, T, 0.12);
    expect([begun.k, arrived(begun), grown(begun)]).toEqual([4, 3, 3]);
    expect(stepFrom(one, begun)).toEqual([0, 0]);
    expect(tipAt(one, begun)).toEqual(one.tips[3]);
    const ended = momentAt(run, T, 1);
    expect([arrived(ended), grown(ended)]).toEqual([4, 4]);
    expect(stepFrom(one, ended)).toEqual(one.tips[3]);
    expect(tipAt(one, ended)).toEqual(one.tips[4]);
    expect(momentAt(run, T + 1, 0.5).stage.swing).toBe(1); // no update led there
  });

  it("is not made where the proof is not about the run", () => {
    expect(filmOf(...runOf({ n: 16, margin: 0.15 }, 50, true))).toBeNull();
    expect(filmOf(...runOf({ n: 16, margin: 0.15, noise: 0.3 }, 50))).toBeNull();
  });
});
