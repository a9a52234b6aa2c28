// The page's toy sets against the library's; cos and sin may differ in the last place.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { normalTail } from "../src/engine/quantile";
import { drawToy } from "../src/engine/toys";
import type { Registry } from "../src/schema";

interface Case {
  generator: string;
  parameters: Record<string, number>;
  seed: number;
  drawn: { X: number[][]; y: number[]; margin: number | null; radius: number | null; separator: number[] | null; noise: number | null };
}

const read = (name: string) => JSON.parse(readFileSync(fileURLToPath(new URL(`./${name}`, import.meta.url)), "utf8"));
const cases = read("toys.json") as Case[];
const { generators } = (read("learned.json") as { registry: Registry }).registry;

it.each(cases.map((one) => [`${one.generator} ${one.seed}`, one] as const))("draws %s", (_, { generator, parameters, seed, drawn }) => {
  const mine = drawToy(generators, generator, parameters, seed);
  expect(mine.labels).toEqual(drawn.y);
  const off = mine.points.flatMap((point, n) => point.map((v, j) => Math.abs(v - drawn.X[n][j])));
  expect(Math.max(...off)).toBeLessThan(1e-12);
  expect([mine.margin, mine.radius]).toEqual([drawn.margin, drawn.radius]);
  if (drawn.noise === null) expect(mine.noise).toBeNull();
  else expect(mine.noise).toBeCloseTo(drawn.noise, 14);
});

it("knows every generator", () => {
  expect(new Set(cases.map((one) => one.generator))).toEqual(new Set(generators.map((one) => one.name)));
});

it("knows the least error of clouds at any distance", () => {
  const tails = [[0, 0.5], [0.5, 0.3085375387259869], [2, 0.022750131948179195], [4, 3.167124183311986e-5]]; // by SciPy
  for (const [x, tail] of tails) expect(normalTail(x)).toBeCloseTo(tail, 15);
});

it("refuses what is out of range", () => {
  expect(() => drawToy(generators, "halfplanes", { n: 1 }, 0)).toThrow("n=1 must be from 4 to 2000");
  expect(() => drawToy(generators, "toString", {}, 0)).toThrow("not a generator");
});
