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
