// The page's verdicts against the library's, on 10,000 sets of points.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Verdict } from "../src/schema";
import { decide } from "../src/engine/separability";
import { ForServer } from "../src/engine/plan";
import { sixDigits } from "../src/engine/statement";

interface Case {
  points: number[][];
  labels: number[];
  fit_intercept: boolean;
  intercept_scaling: number;
  verdict: string;
  weak: boolean | null;
  balanced: boolean | null; // where it is not known to the library: neither separable nor weakly so
  radius: number;
  bound: number | null;
  bracket: [number, number];
  statement: string;
  exact: { margin: [number, number]; radius: number; bound: number } | null; // neighbouring doubles, by fractions
}

const cases = JSON.parse(readFileSync(fileURLToPath(new URL("./verdicts.json", import.meta.url)), "utf8")) as Case[];
const decided = (one: Case) => {
  const { points, labels, fit_intercept, intercept_scaling } = one;
  return decide({ data: { points, labels }, fit_intercept, intercept_scaling });
};
const pairs = cases.map((theirs) => ({ theirs, mine: decided(theirs) }));
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const EPSILON = 2 ** -52;
const GAP = 1e-13; // at which the library may rest

/** The cases that differ in some way; none should. */
const failing = (differs: (pair: (typeof pairs)[number]) => boolean) => pairs.filter(differs).slice(0, 3);

describe("10,000 sets", () => {
  it("are of all kinds", () => {
    expect(cases.length).toBe(10_000);
    for (const verdict of ["separable", "inseparable"]) {
      for (const many of [false, true]) {
        const alike = cases.filter((one) => one.verdict === verdict && new Set(one.labels).size > 2 === many);
        expect(alike.length).toBeGreaterThan(400);
      }
    }
    for (const weak of [false, true]) expect(cases.filter((one) => one.weak === weak).length).toBeGreaterThan(1000);
    expect(cases.filter((one) => new Set(one.labels).size === 1).length).toBeGreaterThan(20);
  });

  it("get the library's verdicts", () => {
    expect(failing(({ mine, theirs }) => mine.verdict !== theirs.verdict)).toEqual([]);
  });

  it("get the margin, the radius and the bound that fractions give", () => {
    const exact = ({ margin_bracket: margin, radius, mistake_bound: bound }: Verdict) => ({ margin, radius, bound });
    const separable = pairs.filter(({ theirs }) => theirs.exact);
    expect(separable.length).toBeGreaterThan(6000);
    expect(separable.filter(({ mine, theirs }) => !same(exact(mine), theirs.exact)).slice(0, 3)).toEqual([]);
    expect(failing(({ mine, theirs }) => mine.margin !== (theirs.exact?.margin[0] ?? null))).toEqual([]);
  });

  it("get margins and bounds within the library's", () => {
    expect(failing(({ mine, theirs }) => mine.radius > theirs.radius || mine.radius < theirs.radius * (1 - 1e-14))).toEqual([]);
    expect(failing(({ mine, theirs }) => (mine.mistake_bound ?? 0) > (theirs.bound ?? 0))).toEqual([]);
    for (const { mine, theirs } of pairs) {
      const [[low, high], [below, above]] = [theirs.bracket, mine.margin_bracket as [number, number]];
      if (theirs.verdict !== "separable") continue;
      if (!(low <= below && above <= high)) expect([low, below, above, high]).toEqual("in this order");
      // The library's proof is a hypothesis and a combination in doubles: the smaller a margin is for
      // the radius, the more their rounding widens the bracket.
      expect(1 - low / high).toBeLessThan(GAP + EPSILON * (mine.radius / below) ** 2);
    }
  });

  it("are found weakly separable, or not, as by the library", () => {
    const weak = ({ verdict, weights }: Verdict) => (verdict === "separable" ? null : weights !== null);
    expect(failing(({ mine, theirs }) => theirs.weak !== null && weak(mine) !== theirs.weak)).toEqual([]);
    const silent = pairs.filter(({ theirs }) => theirs.verdict === "inseparable" && theirs.weak === null);
    expect(silent.length).toBeGreaterThan(400);
    expect(silent.filter(({ mine, theirs }) => weak(mine) === theirs.balanced)).toEqual([]);
  });

  it("get its sentences, but for the number of examples that prove it", () => {
    const words = (text: string) => text.replace(/of \d+ signed|between .*|\d[\d.e+-]*, to six.*/, "");
    const silent = ({ verdict, weak }: Case) => verdict === "inseparable" && weak === null; // on weak separability
    expect(failing(({ mine, theirs }) => !silent(theirs) && words(mine.statement) !== words(theirs.statement))).toEqual([]);
    expect(failing(({ mine, theirs }) => silent(theirs) && !words(mine.statement).startsWith(words(theirs.statement)))).toEqual([]);
  });

  it("are proved by few examples with fractions of sum 1", () => {
    for (const { mine, theirs } of pairs) {
      const classes = new Set(theirs.labels).size;
      expect(mine.support.length).toBeLessThanOrEqual(classes < 3 ? 4 : 3 * classes);
      expect(mine.coefficients.length).toBe(mine.support.length);
      expect(mine.rivals.length).toBe(classes < 3 ? 0 : mine.support.length);
      expect(mine.shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    }
  });
});

describe("a verdict", () => {
  it("is quick for 2,000 points", () => {
    const points = Array.from({ length: 2000 }, (_, n) => [Math.cos(n * n), Math.sin(n * n) * Math.abs(Math.sin(n))]);
    for (const shift of [0.001, -0.2]) {
      const labels = points.map(([, y]) => (y > 0 ? 1 : -1));
      const moved = points.map(([x, y], n) => [x, y + shift * labels[n]]);
      const begun = performance.now();
      expect(decide({ data: { points: moved, labels } }).verdict).toBe(shift > 0 ? "separable" : "inseparable");
      expect(performance.now() - begun).toBeLessThan(500); // it takes a tenth of that; a busy machine may be slow
    }
  });

  it("is quick for 2,000 points of five classes, whose proofs have long numbers", () => {
    const labels = Array.from({ length: 2000 }, (_, n) => n % 5);
    const points = labels.map((y, n) => [Math.cos(y) + Math.sin(n * n), Math.sin(y) + Math.cos(n * n + 1)]);
    const begun = performance.now();
    expect(decide({ data: { points, labels } }).verdict).toBe("inseparable");
    expect(performance.now() - begun).toBeLessThan(1000);
  });

  it("is exact where doubles are not", () => {
    const points = [[0, 0], [1, 1], [2 ** 53, 2 ** 53 + 2], [3, 3]];
    expect(decide({ data: { points, labels: [0, 1, 0, 1] } }).verdict).toBe("separable");
    expect(decide({ data: { points: points.with(2, [2 ** 53, 2 ** 53]), labels: [0, 1, 0, 1] } }).verdict).toBe("inseparable");
  });

  it("is left to the server where margins would leave the doubles", () => {
    expect(() => decide({ data: { points: [[1e-200, 0], [1, 1]], labels: [0, 1] } })).toThrow(ForServer);
  });
});

it("writes six digits as the library does, outwards", () => {
  expect([sixDigits(1 / 3, -1), sixDigits(1 / 3, 1), sixDigits(0.25, 1)]).toEqual(["0.333333", "0.333334", "0.25"]);
  expect([sixDigits(9.9999999e-6, 1), sixDigits(1234567.8, -1)]).toEqual(["1e-05", "1.23456e+06"]);
});
