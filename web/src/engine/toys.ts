// Toy sets, drawn as src/rosenblatt/data/toys.py draws them; its docstrings say what they are.

import type { Drawn, Drawer } from "../schema";
import { normalTail } from "./quantile";
import { Generator } from "./random";

type Values = Record<string, number>;
type XY = [number, number];
type Toy = Partial<Omit<Drawn, "points" | "labels">> & Pick<Drawn, "points" | "labels">;

const range = (n: number) => Array.from({ length: n }, (_, k) => k);
const times = ([x, y]: XY, factor: number): XY => [x * factor, y * factor];
const plus = ([x, y]: XY, [u, v]: XY): XY => [x + u, y + v];
const dot = ([x, y]: XY, [u, v]: XY): number => x * u + y * v;
const turned = (angle: number): XY => [Math.cos(angle), Math.sin(angle)];
const alternating = (n: number) => range(n).map((k) => (k % 2 === 0 ? 1 : -1));

/** As Python rounds: halves to even numbers. */
function rounded(x: number): number {
  const below = Math.floor(x);
  if (x - below !== 0.5) return Math.round(x);
  return below % 2 ? below + 1 : below;
}

/** Flip this share of the labels, rounded down to an integer number. */
function flipped(random: Generator, labels: number[], noise: number): number[] {
  const wrong = new Set(random.permutation(labels.length).subarray(0, Math.floor(labels.length * noise)));
  return labels.map((label, k) => (wrong.has(k) ? -label : label));
}

/** Signs of which a share is positive, those first, and how many they are. */
function signs(n: number, balance: number): [number[], number] {
  const positives = Math.min(n - 1, Math.max(1, rounded(n * balance)));
  return [range(n).map((k) => (k < positives ? 1 : -1)), positives];
}

/** Points and labels in a random order. */
function shuffled(random: Generator, points: number[][], labels: number[]): Toy {
  const order = Array.from(random.permutation(labels.length));
  return { points: order.map((k) => points[k]), labels: order.map((k) => labels[k]) };
}

function halfplanes(random: Generator, { n, margin, radius, balance, noise, outliers }: Values): Toy {
  if (margin >= radius) throw new RangeError(`margin=${margin} must be less than the radius, ${radius}.`);
  const u = turned(random.between(0, 2 * Math.PI));
  const v: XY = [-u[1], u[0]];
  const reach = Math.sqrt(radius ** 2 - margin ** 2) * (random.uniform() < 0.5 ? 1 : -1);
  const [clean, positives] = signs(n, balance);
  const points = clean.map((y) => beside(random, y, u, v, margin, radius));
  points[0] = plus(times(u, margin), times(v, reach));
  points[positives] = plus(times(u, -margin), times(v, reach));
  const labels = flipped(random, clean, noise);
  const out = Math.min(outliers, n);
  if (out) placeOutliers(random, points, labels, out, radius, u, v);
  return { ...shuffled(random, points, labels), margin, radius, separator: u, noise };
}

/** A point of a class, a little farther from the line than the margin. */
function beside(random: Generator, y: number, u: XY, v: XY, margin: number, radius: number): XY {
  for (;;) {
    let x: XY = [random.between(-radius, radius), random.between(-radius, radius)];
    const along = y * dot(x, u);
    if (dot(x, x) <= radius ** 2 && margin * 1.02 <= along) return x;
    if (y * along < -margin * 1.02 && dot(x, x) <= radius ** 2) {
      x = plus(x, times(u, -2 * dot(x, u))); // its mirror image is as likely
      if (y * dot(x, u) >= margin * 1.02) return x;
    }
    if (margin > 0.6 * radius) {
      // Few draws would be accepted: draw within the circular segment.
      const far = random.between(Math.min(margin * 1.02, radius), radius);
      const wide = Math.sqrt(Math.max(radius ** 2 - far ** 2, 0));
      return plus(times(u, y * far), times(v, random.between(-wide, wide)));
    }
  }
}

function placeOutliers(random: Generator, points: number[][], labels: number[], out: number, radius: number, u: XY, v: XY): void {
  const chosen = Array.from(random.permutation(points.length).subarray(0, out));
  const side = chosen.map(() => (random.uniform() < 0.5 ? 1 : -1));
  const away = chosen.map(() => radius * random.between(1.2, 1.8));
  const turn = chosen.map(() => random.normal(0, 0.35));
  chosen.forEach((k, n) => {
    points[k] = times(plus(times(u, Math.cos(turn[n]) * side[n]), times(v, Math.sin(turn[n]))), away[n]);
    labels[k] = -side[n];
  });
}

function gaussians(random: Generator, { n, distance, balance, shift, noise }: Values): Toy {
  const [clean] = signs(n, balance);
  const points = clean.map((y) => [random.normal(0, 0.4) + (y * 0.2 * distance + shift), random.normal(0, 0.4)]);
  const labels = flipped(random, clean, noise);
  const least = balance === 0.5 ? noise + (1 - 2 * noise) * normalTail(distance / 2) : null; // error of any classifier
  return { ...shuffled(random, points, labels), noise: least };
}

function xor(random: Generator, { n, spread, noise }: Values): Toy {
  const corners: XY[] = [[0.6, 0.6], [-0.6, 0.6], [-0.6, -0.6], [0.6, -0.6]];
  const points = range(n).map((k) => plus(corners[k % 4], [random.normal(0, spread), random.normal(0, spread)]));
  return { points, labels: flipped(random, alternating(n), noise) };
}

function rings(random: Generator, { n, gap, noise }: Values): Toy {
  const clean = alternating(n);
  const inner = 0.65 - gap / 2;
  const [low, high] = [(inner + gap) ** 2, inner ** 2];
  const far = clean.map((y) => Math.sqrt(y > 0 ? random.between(0, high) : random.between(low, Math.max(1, low))));
  const points = far.map((length) => times(turned(random.between(0, 2 * Math.PI)), length));
  return { points, labels: flipped(random, clean, noise), radius: 1 };
}

function spirals(random: Generator, { n, turns, noise }: Values): Toy {
  const clean = alternating(n);
  const along = clean.map(() => Math.sqrt(random.between(0.02, 1)));
  const points = along.map((length, k) => {
    const arm = times(turned(2 * Math.PI * turns * length + (clean[k] > 0 ? 0 : Math.PI)), length);
    return plus(arm, [random.normal(0, 0.015), random.normal(0, 0.015)]);
  });
  return { points, labels: flipped(random, clean, noise) };
}

function clouds(random: Generator, { n, classes, spread, noise }: Values): Toy {
  const labels = range(n).map((k) => k % classes);
  const points = labels.map((y) =>
    plus(times(turned((2 * Math.PI * y) / classes + 0.4), 0.8), [random.normal(0, spread), random.normal(0, spread)]));
  const wrong = Array.from(random.permutation(n).subarray(0, Math.floor(n * noise)));
  for (const k of wrong) labels[k] = (labels[k] + 1 + random.below(classes - 1)) % classes;
  return { points, labels: classes === 2 ? labels.map((y) => 2 * y - 1) : labels };
}

function wedge(random: Generator, { n, wedge: open, noise }: Values): Toy {
  const slope = random.uniform() < 0.5 ? random.between(0.1, 1.1) : random.between(1, 3);
  const clean = alternating(n);
  const free = Math.max(open, 0.03);
  const points = clean.map((y): XY => {
    for (;;) {
      const x: XY = [random.uniform(), random.uniform()];
      const right = y > 0 ? x[1] * (1 - free) > slope * x[0] : x[1] < slope * x[0] * (1 - free);
      if (right && dot(x, x) > 1e-4) return x;
    }
  });
  const separator = times([-slope, 1], 1 / Math.sqrt(1 + slope ** 2));
  const order = Array.from(random.permutation(n));
  const labels = flipped(random, clean, noise);
  return { points: order.map((k) => points[k]), labels: order.map((k) => labels[k]), separator, noise };
}

const TOYS: Record<string, (random: Generator, values: Values) => Toy> = { halfplanes, gaussians, xor, rings, spirals, clouds, wedge };

/** Whether the page draws such sets. */
export const draws = (generator: string): boolean => Object.hasOwn(TOYS, generator);

/** Draw a set; parameters that are not given have their defaults. */
export function drawToy(drawers: Drawer[], generator: string, parameters: Values, seed: number): Drawn {
  const known = drawers.find((one) => one.name === generator);
  if (!known || !Object.hasOwn(TOYS, generator)) throw new RangeError(`"${generator}" is not a generator of the page.`);
  const values = Object.fromEntries(known.parameters.map((p) => [p.name, parameters[p.name] ?? Number(p.default)]));
  for (const { name, low, high } of known.parameters) {
    const value = values[name];
    if (!(value >= low! && value <= high!)) throw new RangeError(`${name}=${value} must be from ${low} to ${high}.`);
  }
  const toy = TOYS[generator](new Generator(seed), values);
  return { margin: null, radius: null, separator: null, noise: null, ...toy };
}
