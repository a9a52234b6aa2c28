// Kernels, as src/rosenblatt/theory/similarity.py computes them.

type Row = ArrayLike<number>;

export interface KernelSettings {
  kernel: string;
  degree: number;
  gamma: number;
  coef0: number;
  constant: number; // added to every value: the square of a constant feature
}

type Kernel = (dot: number, distance2: number, settings: KernelSettings) => number;

const inside = (dot: number, { gamma, coef0 }: KernelSettings) => gamma * dot + coef0;
const KERNELS: Record<string, Kernel> = {
  linear: (dot) => dot,
  rbf: (_, distance2, { gamma }) => Math.exp(-gamma * distance2),
  poly: (dot, _, settings) => power(inside(dot, settings), settings.degree),
  sigmoid: (dot, _, settings) => Math.tanh(inside(dot, settings)),
};

/** Integer powers by squaring, as the library takes them. */
function power(base: number, degree: number): number {
  if (!Number.isInteger(degree) || degree < 1 || degree > 64) return base ** degree;
  let value = base;
  for (const bit of degree.toString(2).slice(1)) value = bit === "1" ? value * value * base : value * value;
  return value;
}

export class Similarity {
  private readonly kernel: Kernel;

  constructor(readonly settings: KernelSettings) {
    this.kernel = KERNELS[settings.kernel];
  }

  /** Whether the page can evaluate a kernel. */
  static knows(kernel: string | null): boolean {
    return Object.hasOwn(KERNELS, kernel ?? "");
  }

  value(x: Row, z: Row): number {
    let [dot, own, other] = [0, 0, 0];
    for (let j = 0; j < x.length; j++) {
      dot += x[j] * z[j];
      own += x[j] * x[j];
      other += z[j] * z[j];
    }
    const distance2 = Math.max(0, dot * -2 + own + other);
    return this.kernel(dot, distance2, this.settings) + this.settings.constant;
  }

  /** A bound on the error of a value, as the library has it. */
  rounding(points: Row[]): number {
    const { kernel, degree, gamma, coef0, constant } = this.settings;
    const [unit, tiny, d] = [2 ** -52, 2 ** -1074, points[0].length];
    const square = 1.001 * Math.max(...points.map((x) => Array.from(x).reduce((sum, v) => sum + v * v, 0))) + d * tiny;
    let off = (d + 4) * (unit * square + tiny);
    if (kernel === "linear") return off + unit * constant;
    if (kernel === "rbf") return Math.abs(gamma) * 4 * off + 4 * unit * (1 + constant);
    const most = Math.abs(gamma) * square + Math.abs(coef0);
    off = Math.abs(gamma) * off + 4 * (unit * most + tiny);
    if (kernel === "sigmoid") return off + 4 * unit * (1 + constant);
    const power = Math.abs(degree);
    const value = most ** power;
    const slope = power >= 1 ? power * (most + off) ** (power - 1) : Infinity;
    return slope * off + 2 * (power + 2) * (unit * value + tiny * Math.max(1, value)) + unit * constant;
  }

  /** Values of all pairs of some points, row by row. */
  table(points: Row[]): Float64Array {
    const n = points.length;
    const values = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) values[i * n + j] = values[j * n + i] = this.value(points[i], points[j]);
    }
    return values;
  }
}
