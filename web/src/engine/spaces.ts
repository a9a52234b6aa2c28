// Spaces: where hypotheses live, as compiled loops see them, and what hypotheses make of points.
//
// A hypothesis is an array of the shape that the loops of its space expect. Its weights, a row for
// each score with that of the constant feature last, are a part of it. In kernel form they are a
// factor for each example.

import type { Engine } from "./engine";
import type { Held } from "./memory";
import type { Values } from "./record";
import type { Space as Config } from "../schema";
import type { Similarity } from "./similarity";

export type Vector = Float64Array;
export type Kind = Config["kind"];
export type Point = ArrayLike<number>;

/** A rule by the name of its record, with its parameters in their order. */
export interface Rule {
  kind: string;
  parameters: number[];
}

/** The examples of a space: `bias` is their constant feature, `offset` is added to every score. */
export interface Examples {
  points: number[][];
  bias: number;
  offset: number;
}

/** How wrong classes share a step: the scheme's number, and the margin that it solves for. */
export interface Sharing {
  scheme: number;
  beta: number;
}

export const SCHEMES = ["max", "uniform", "proportional", "projection"];

/** What kinds of space have in common. */
export abstract class Space {
  abstract readonly kind: Kind;
  abstract readonly loops: string; // the name by which loops of this space are called
  abstract readonly shape: number[]; // of a hypothesis
  readonly linear: boolean = true; // a hypothesis is the plain sum of its steps
  readonly additive: boolean = false; // a step adds to each margin a multiple of a product
  readonly conic: boolean = true; // steps are factors of examples in w
  readonly copies: number = 1; // how often <x, x> counts in a step, at most
  readonly extraTerms: number = 0; // of a sum, for the rounding error of `squaredNorm`

  constructor(
    readonly rows: number, // scores that a hypothesis gives
    readonly width: number, // numbers of one row
  ) {}

  get size(): number {
    return this.shape.reduce((product, length) => product * length, 1);
  }

  /** The zero hypothesis. */
  origin(_engine: Engine): Vector {
    return new Float64Array(this.size);
  }

  /** A hypothesis of these weights; the rest of it is as at the origin. */
  fromRows(engine: Engine, rows: number[][]): Vector {
    const h = this.origin(engine);
    h.set(rows.flat());
    return h;
  }

  /** The weights of a hypothesis, not copied. */
  weights(h: Vector): Vector {
    return h;
  }

  /** Weights as the rows they consist of. */
  asRows(w: Vector): number[][] {
    return Array.from({ length: this.rows }, (_, r) => [...w.subarray(r * this.width, (r + 1) * this.width)]);
  }

  /** <w, w> of a hypothesis, as the library measures it. */
  squaredNorm(_engine: Engine, h: Vector): number {
    return this.norm2(this.weights(h));
  }

  /** The space in the memory of compiled code. */
  abstract record(engine: Engine): Values;
  abstract scores(w: Vector, x: Point): number[];
  abstract norm2(w: Vector): number;
  /** <x, x> of example i, with the constant feature. */
  abstract exampleNorm2(i: number): number;
  /** Write the inner products of example i with some points, given also as columns. */
  abstract products(i: number, xs: Point[], columns: Float64Array[], out: Float64Array): void;
}

export const sumOfSquares = (values: Vector): number => values.reduce((sum, v) => sum + v * v, 0);

/** Spaces whose weights belong to coordinates. */
abstract class Coordinates extends Space {
  protected readonly bias: number;
  protected readonly offset: number;
  protected readonly points: number[][];
  private coordinates: Float64Array | null = null; // of all examples, once they are needed
  private norms2: Float64Array | null = null;

  constructor(examples: Examples, rows: number, protected readonly power = 2) {
    super(rows, examples.points[0].length + 1);
    ({ points: this.points, bias: this.bias, offset: this.offset } = examples);
  }

  scores(w: Vector, x: Point): number[] {
    const totals = new Array<number>(this.rows);
    for (let r = 0; r < this.rows; r++) {
      const at = r * this.width;
      let total = 0;
      for (let j = 0; j < this.width - 1; j++) total += x[j] * w[at + j];
      totals[r] = total + this.bias * w[at + this.width - 1] + this.offset;
    }
    return totals;
  }

  norm2(w: Vector): number {
    return sumOfSquares(w);
  }

  exampleNorm2(i: number): number {
    return this.points[i].reduce((sum, v) => sum + v * v, this.bias * this.bias);
  }

  products(i: number, _xs: Point[], columns: Float64Array[], out: Float64Array): void {
    out.fill(0);
    this.points[i].forEach((own, j) => {
      const column = columns[j];
      for (let n = 0; n < out.length; n++) out[n] += own * column[n];
    });
    const constant = this.bias * this.bias;
    for (let n = 0; n < out.length; n++) out[n] += constant;
  }

  /** The examples, and <x, x> of each. */
  protected table(engine: Engine): { X: Held; norms2: Held } {
    const count = this.points.length;
    this.coordinates ??= Float64Array.from(this.points.flat());
    const X = engine.memory.array("<f8", [count, this.width - 1], this.coordinates);
    const norms2 = engine.memory.array("<f8", [count], this.norms2 ?? undefined);
    if (!this.norms2) {
      engine.call("dense_norms2", { X, bias: this.bias, p: this.power, out: norms2 });
      this.norms2 = (norms2.values as Float64Array).slice();
    }
    return { X, norms2 };
  }

  /** The space of two classes, on which others are based. */
  protected dense(engine: Engine): Values {
    const { memory } = engine;
    const none = () => memory.array("<f8", [0]);
    const coarse = { rows: memory.array("|i1", [0, 0]), scales: none(), slack: none(), doubtful: memory.array("|b1", [0]) };
    return { ...this.table(engine), bias: this.bias, offset: this.offset, h32: none(), coarse };
  }
}

export class Dense extends Coordinates {
  readonly kind = "linear";
  readonly loops = "Dense";
  readonly shape = [this.width];
  override readonly additive = this.offset === 0;

  constructor(examples: Examples) {
    super(examples, 1);
  }

  record(engine: Engine): Values {
    return this.dense(engine);
  }
}

/** A row for each class. */
export class Rows extends Coordinates {
  readonly kind = "rows";
  readonly loops = "Rows";
  readonly shape = [this.rows, this.width];
  override readonly copies = 2;

  constructor(examples: Examples, classes: number, private readonly sharing: Sharing = { scheme: 0, beta: 0 }) {
    super(examples, classes);
  }

  record(engine: Engine): Values {
    const { memory } = engine;
    return {
      ...this.table(engine), bias: this.bias, ...this.sharing,
      scores: memory.array("<f8", [this.rows]),
      shares: memory.array("<f8", [this.rows]),
      h32: memory.array("<f8", [0, 0]),
    };
  }
}

/** Two classes through the link of a p-norm: the sum of the steps, then the weights. */
export class Mirror extends Coordinates {
  readonly kind = "mirror";
  readonly loops = "Mirror";
  readonly shape = [2, this.width];
  override readonly linear = false;
  override readonly extraTerms = Number.isFinite(this.power) ? Math.trunc(4 * this.power) : 0;

  constructor(examples: Examples, readonly p: number) {
    super(examples, 1, p);
  }

  override fromRows(_engine: Engine, [row]: number[][]): Vector {
    return Float64Array.of(...inverseLink(row, this.p), ...row);
  }

  override weights(h: Vector): Vector {
    return h.subarray(this.width);
  }

  override squaredNorm(engine: Engine, h: Vector): number {
    return engine.memory.scope(() => {
      const X = engine.memory.array("<f8", [1, this.width], h.subarray(0, this.width));
      const out = engine.memory.array("<f8", [1]);
      engine.call("dense_norms2", { X, bias: 0, p: this.p, out });
      return out.values[0] as number;
    });
  }

  record(engine: Engine): Values {
    const scratch = engine.memory.array("<f8", [this.width]);
    return { base: this.dense(engine), p: this.p, bias: this.bias, offset: this.offset, scratch };
  }
}

/** The sum of steps that has these weights behind the link of a p-norm. */
function inverseLink(w: number[], p: number): number[] {
  const sizes = w.map(Math.abs);
  const [peak, largest] = [sizes.reduce((sum, v) => sum + v, 0), Math.max(...sizes)];
  if (largest === 0) return w.map(() => 0);
  const size = Number.isFinite(p) ? dualPower(sizes, largest, p / (p - 1)) : (v: number) => asinhOfShare(v / largest, peak);
  return w.map((v) => Math.sign(v) * size(Math.abs(v)));
}

/** |v|^(q-1)/|w|_q^(q-2), the link of the dual norm. */
function dualPower(sizes: number[], largest: number, q: number): (v: number) => number {
  const norm = largest * sizes.reduce((sum, v) => sum + (v / largest) ** q, 0) ** (1 / q);
  return (v) => norm * (v / norm) ** (q - 1);
}

/** asinh(share·sinh(peak)); by logarithms where sinh would overflow. */
function asinhOfShare(share: number, peak: number): number {
  const power = Math.log(share) + peak;
  return power > 20 ? power : Math.asinh((Math.exp(power) * -Math.expm1(-2 * peak)) / 2);
}

/** Spaces whose weights have variances, which a rule changes. */
abstract class Variances extends Coordinates {
  override readonly linear = false;
  override readonly conic = false;

  constructor(examples: Examples, protected readonly rule: Rule) {
    super(examples, 1);
  }

  record(engine: Engine): Values {
    const rule = engine.rule(this.rule.kind, this.rule.parameters);
    return { base: this.dense(engine), rule, bias: this.bias, offset: this.offset };
  }

  protected prior(engine: Engine): number {
    return engine.facts(this.rule.kind, this.rule.parameters).prior_variance;
  }
}

/** A weight and its variance for each coordinate. */
export class Diagonal extends Variances {
  readonly kind = "diagonal";
  readonly loops = "Diagonal";
  readonly shape = [this.width, 2];

  override origin(engine: Engine): Vector {
    const prior = this.prior(engine);
    return super.origin(engine).map((_, at) => (at % 2 ? prior : 0));
  }

  override fromRows(engine: Engine, [row]: number[][]): Vector {
    return this.origin(engine).map((v, at) => (at % 2 ? v : row[at / 2]));
  }

  override weights(h: Vector): Vector {
    return h.filter((_, at) => at % 2 === 0);
  }
}

/** The weights, then their covariance matrix. */
export class Full extends Variances {
  readonly kind = "full";
  readonly loops = "Full";
  readonly shape = [this.width + 1, this.width];

  override origin(engine: Engine): Vector {
    const h = super.origin(engine);
    for (let j = 0; j < this.width; j++) h[(j + 1) * this.width + j] = this.prior(engine);
    return h;
  }

  override weights(h: Vector): Vector {
    return h.subarray(0, this.width);
  }

  override record(engine: Engine): Values {
    return { ...super.record(engine), product: engine.memory.array("<f8", [this.width]) };
  }
}

/** Factors of examples, in a row for each score: hypotheses in the space of a kernel. */
export class Dual extends Space {
  readonly kind = "kernel";
  readonly loops: string;
  readonly shape: number[];
  override readonly copies: number;

  constructor(private readonly points: number[][], private readonly similarity: Similarity, rows: number, private readonly scheme = 0) {
    super(rows, points.length);
    this.loops = rows === 1 ? "Dual" : "DualRows";
    this.shape = rows === 1 ? [this.width] : [rows, this.width];
    this.copies = rows === 1 ? 1 : 2;
  }

  record(engine: Engine): Values {
    const norms2 = engine.memory.array("<f8", [this.width]); // which no replay reads
    const many: Values = this.rows === 1 ? {} : { classes: this.rows, scheme: this.scheme };
    return { norms2, bias: 0, before: 0, ...many };
  }

  scores(w: Vector, x: Point): number[] {
    const totals = new Array<number>(this.rows).fill(0);
    for (let j = 0; j < this.width; j++) {
      let value = NaN; // of the kernel, once a factor needs it
      for (let r = 0; r < this.rows; r++) {
        const factor = w[r * this.width + j];
        if (factor === 0) continue;
        if (Number.isNaN(value)) value = this.similarity.value(this.points[j], x);
        totals[r] += factor * value;
      }
    }
    return totals;
  }

  norm2(w: Vector): number {
    const { rows, width, points } = this;
    const used = points.flatMap((_, j) => (Array.from({ length: rows }, (__, r) => w[r * width + j]).some(Boolean) ? [j] : []));
    let total = 0;
    for (const j of used) {
      for (const k of used) {
        let both = 0;
        for (let r = 0; r < rows; r++) both += w[r * width + j] * w[r * width + k];
        total += both * this.similarity.value(points[j], points[k]);
      }
    }
    return Math.max(total, 0);
  }

  exampleNorm2(i: number): number {
    return this.similarity.value(this.points[i], this.points[i]);
  }

  products(i: number, xs: Point[], _columns: Float64Array[], out: Float64Array): void {
    for (let n = 0; n < xs.length; n++) out[n] = this.similarity.value(this.points[i], xs[n]);
  }
}
