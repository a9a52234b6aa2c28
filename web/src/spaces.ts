// Where hypotheses live: one object for each kind of space, which knows how a state is laid out,
// how an update moves it and what its weights score.
//
// A state is all that an update changes; the weights, a row for each score, are a part of it.

import type { Data, Space as Config } from "./schema";

export type Vector = Float64Array;

/** One update: step a on example i, against rival r; g is for spaces with variances. */
export interface Update {
  i: number;
  r: number;
  a: number;
  g: number;
}

export interface Space {
  readonly kind: Config["kind"];
  readonly rows: number; // scores that a hypothesis gives
  readonly width: number; // numbers of one row: features and the bias, or a factor for each example
  readonly size: number; // numbers of a whole state
  readonly weightsAt: number; // where in a state the weights begin
  init(start: number[][]): Vector;
  move(state: Vector, update: Update): void;
  scores(w: Vector, x: ArrayLike<number>): number[];
  norm2(w: Vector): number;
  exampleNorm2(i: number): number; // the constant feature included
  /** Kernel values of example i with some points; only where hypotheses are sums of kernels. */
  column?(i: number, xs: ArrayLike<number>[]): Float64Array;
}

/** What a space is made from: `labels` are signs, or class numbers if there are many rows. */
interface Given {
  config: Config;
  data: Data;
  labels: number[];
  rows: number;
}

type Kernel = (dot: number, distance2: number, config: Config) => number;
const polynomialBase = (dot: number, { gamma, coef0 }: Config) => (gamma ?? 1) * dot + (coef0 ?? 0);
const KERNELS: Record<string, Kernel> = {
  linear: (dot) => dot,
  rbf: (_, distance2, { gamma }) => Math.exp(-(gamma ?? 1) * distance2),
  poly: (dot, _, config) => polynomialBase(dot, config) ** (config.degree ?? 3),
  sigmoid: (dot, _, config) => Math.tanh(polynomialBase(dot, config)),
};

/** Why the page cannot evaluate a space; null if it can. */
export function unsupported(config: Config): string | null {
  if (config.kind !== "kernel" || Object.hasOwn(KERNELS, config.kernel ?? "")) return null;
  return `The page cannot evaluate the kernel "${config.kernel}", so this run cannot be shown.`;
}

function kernelValue(config: Config, x: ArrayLike<number>, z: ArrayLike<number>): number {
  let dot = 0;
  let distance2 = 0;
  for (let j = 0; j < x.length; j++) {
    dot += x[j] * z[j];
    distance2 += (x[j] - z[j]) ** 2;
  }
  return KERNELS[config.kernel!](dot, distance2, config) + (config.constant ?? 0);
}

/** What all spaces have in common whose weights belong to coordinates. */
function coordinates({ config, data, rows }: Given) {
  const { points, bias, offset } = data;
  const width = points[0].length + 1;
  const space = {
    kind: config.kind,
    rows,
    width,
    size: rows * width,
    weightsAt: 0,
    init(this: Space, start: number[][]): Vector {
      const state = new Float64Array(this.size);
      start.forEach((row, r) => state.set(row, this.weightsAt + r * width));
      return state;
    },
    scores(w: Vector, x: ArrayLike<number>): number[] {
      const totals = new Array<number>(rows);
      for (let r = 0; r < rows; r++) {
        let total = bias * w[r * width + width - 1] + offset;
        for (let j = 0; j < width - 1; j++) total += w[r * width + j] * x[j];
        totals[r] = total;
      }
      return totals;
    },
    norm2: (w: Vector): number => w.reduce((sum, v) => sum + v * v, 0),
    exampleNorm2: (i: number): number => points[i].reduce((sum, v) => sum + v * v, bias * bias),
  };
  /** Add a·(example i, with its constant feature) to the row that begins at `at`. */
  const add = (state: Vector, at: number, i: number, a: number): void => {
    for (let j = 0; j < width - 1; j++) state[at + j] += a * points[i][j];
    state[at + width - 1] += a * bias;
  };
  const lifted = points.map((x) => [...x, bias]);
  return { space, add, lifted };
}

function linear(given: Given): Space {
  const { space, add } = coordinates(given);
  return { ...space, move: (h, { i, a }) => add(h, 0, i, a * given.labels[i]) };
}

/** One row for each class: the example's own row moves towards it, the rival's away. */
function rows(given: Given): Space {
  const { space, add } = coordinates(given);
  return {
    ...space,
    move(h, { i, r, a }) {
      add(h, given.labels[i] * space.width, i, a);
      add(h, r * space.width, i, -a);
    },
  };
}

/** Steps are summed in the first half of a state; the weights behind the link are the second. */
function mirror(given: Given): Space {
  const { space, add } = coordinates(given);
  const { width } = space;
  return {
    ...space,
    size: 2 * width,
    weightsAt: width,
    move(h, { i, a }) {
      add(h, 0, i, a * given.labels[i]);
      link(h.subarray(0, width), given.config.p, h.subarray(width));
    },
  };
}

/** Weights that a sum of steps stands for, behind the link of the p-norm; p null: Winnow's. */
function link(theta: Vector, p: number | null, w: Vector): void {
  const largest = theta.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
  if (largest === 0) {
    w.fill(0);
    return;
  }
  if (p === null) {
    let total = 0;
    for (let j = 0; j < theta.length; j++) {
      const size = Math.abs(theta[j]);
      const value = -Math.exp(size - largest) * Math.expm1(-2 * size);
      w[j] = theta[j] > 0 ? value : -value;
      total += value;
    }
    for (let j = 0; j < w.length; j++) w[j] *= total > 0 ? largest / total : 0;
    return;
  }
  let sum = 0;
  for (const v of theta) sum += (Math.abs(v) / largest) ** p;
  const norm = largest * sum ** (1 / p);
  for (let j = 0; j < theta.length; j++) {
    const size = norm * (Math.abs(theta[j]) / norm) ** (p - 1);
    w[j] = theta[j] > 0 ? size : -size;
  }
}

/** The weights, then a variance for each of them. */
function diagonal(given: Given): Space {
  const { space, lifted } = coordinates(given);
  const { prior, shrinks } = given.config;
  const { width } = space;
  return {
    ...space,
    size: 2 * width,
    init: function (this: Space, start) {
      return space.init.call(this, start).fill(prior ?? 1, width);
    },
    move(h, { i, a, g }) {
      const s = a * given.labels[i];
      for (let j = 0; j < width; j++) {
        const x = lifted[i][j];
        const z = h[width + j] * x;
        const shrink = 1 + g * x * z;
        h[j] += s * z;
        if (shrinks) h[j] /= shrink;
        h[width + j] /= shrink;
      }
    },
  };
}

/** The weights, then their covariance matrix, row by row. */
function full(given: Given): Space {
  const { space, lifted } = coordinates(given);
  const { width } = space;
  return {
    ...space,
    size: width + width * width,
    init: function (this: Space, start) {
      const state = space.init.call(this, start);
      for (let j = 0; j < width; j++) state[width + j * width + j] = given.config.prior ?? 1;
      return state;
    },
    move(h, { i, a, g }) {
      const x = lifted[i];
      const s = a * given.labels[i];
      const z = x.map((_, j) => x.reduce((sum, v, k) => sum + h[width + j * width + k] * v, 0));
      const variance = z.reduce((sum, v, j) => sum + v * x[j], 0);
      const b = g / (1 + g * variance);
      for (let j = 0; j < width; j++) {
        h[j] += s * z[j];
        for (let k = 0; k < width; k++) h[width + j * width + k] -= b * (z[j] * z[k]);
      }
    },
  };
}

/** A factor for each example and row; a score is a sum of kernel values. */
function kernel({ config, data, labels, rows }: Given): Space {
  const { points } = data;
  const width = points.length;
  /** Examples that a hypothesis remembers. */
  const support = (w: Vector) => [...points.keys()].filter((j) => {
    for (let r = 0; r < rows; r++) if (w[r * width + j] !== 0) return true;
    return false;
  });
  return {
    kind: config.kind,
    rows,
    width,
    size: rows * width,
    weightsAt: 0,
    init: () => new Float64Array(rows * width),
    move(h, { i, r, a }) {
      if (rows === 1) h[i] += a * labels[i];
      else {
        h[labels[i] * width + i] += a;
        h[r * width + i] -= a;
      }
    },
    scores(w, x) {
      const totals = new Array<number>(rows).fill(0);
      for (let j = 0; j < width; j++) {
        let value = NaN; // of the kernel, once a factor needs it
        for (let r = 0; r < rows; r++) {
          const factor = w[r * width + j];
          if (factor === 0) continue;
          if (Number.isNaN(value)) value = kernelValue(config, points[j], x);
          totals[r] += factor * value;
        }
      }
      return totals;
    },
    norm2(w) {
      const remembered = support(w);
      let total = 0;
      for (const j of remembered) {
        for (const k of remembered) {
          let both = 0;
          for (let r = 0; r < rows; r++) both += w[r * width + j] * w[r * width + k];
          total += both * kernelValue(config, points[j], points[k]);
        }
      }
      return Math.max(total, 0);
    },
    exampleNorm2: (i) => kernelValue(config, points[i], points[i]),
    column: (i, xs) => Float64Array.from(xs, (x) => kernelValue(config, points[i], x)),
  };
}

const SPACES: Record<Config["kind"], (given: Given) => Space> = { linear, rows, mirror, diagonal, full, kernel };

export function makeSpace(given: Given): Space {
  return SPACES[given.config.kind](given);
}
