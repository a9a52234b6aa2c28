// Whether points can be separated, and by what margin: decided and proved in whole numbers.
//
// As in src/rosenblatt/proofs: a hypothesis separates if it is positive on every signed example, and
// its best margin is the distance of the origin from the convex hull of these. With more than two
// classes an example counts once against each rival of its class.

import type { CertifyRequest, Verdict } from "../schema";
import { combine, dot, gcd, ratio, reduced, rootBounds, timesPower, toIntegers, type Integers } from "./integers";
import { nearestPoint, type Nearest } from "./nearest";
import { ForServer } from "./plan";
import { statement } from "./statement";

const SMALLEST = -600; // exponent of a point's last digit; beyond it margins would leave the doubles

/** Signed examples in whole numbers, and where each comes from. */
interface Problem {
  vectors: Integers[];
  examples: number[];
  rivals: number[]; // empty for two classes
  classes: number; // rows of weights are as many, but one for two classes
  constant: boolean; // the last coordinate is that of the bias
  exponent: number; // the unit is 2^exponent
}

/** Decide whether points are separable, and prove it; tiny numbers are for the server. */
export function decide({ data, fit_intercept: biased = true, intercept_scaling: scaling = 1 }: CertifyRequest): Verdict {
  if (!(scaling > 0 && scaling < Infinity)) throw new ForServer("intercept_scaling is out of bounds.");
  const problem = signedExamples(data.points, data.labels, biased ? scaling : 0);
  const { vectors } = problem;
  const found = nearestPoint(vectors);
  const inseparable = found.sum.every((v) => v === 0n);
  const weak = inseparable ? weakSeparator(vectors, found) : null;
  check(vectors, found, weak);
  const radius2 = vectors.reduce((most, z) => (dot(z, z) > most ? dot(z, z) : most), 0n);
  const [, radius] = rootBounds(radius2, 1n, problem.exponent);
  const norm2 = dot(found.sum, found.sum);
  const [lower, upper] = rootBounds(norm2, found.total ** 2n, problem.exponent);
  const bracket: [number, number] = inseparable ? [weak ? 0 : -radius, 0] : [lower, upper];
  const bound = inseparable ? null : (radius2 * found.total ** 2n) / norm2;
  const verdict = inseparable ? "inseparable" : "separable";
  const [examples, support, many] = [data.points.length, found.support.length, problem.classes > 2];
  return {
    verdict,
    statement: statement({ examples, many, verdict, bracket, bound, support, weak: weak !== null }),
    margin: inseparable ? null : lower,
    margin_bracket: bracket,
    radius,
    mistake_bound: bound === null || bound > 10n ** 300n ? null : Number(bound),
    ...weightsOf(problem, inseparable ? weak : found.sum, inseparable ? 1n : found.total, biased ? scaling : 0),
    support: found.support.map((at) => problem.examples[at]),
    rivals: found.support.flatMap((at) => problem.rivals[at] ?? []),
    coefficients: found.shares.map((share) => fraction(share, found.total)),
    shares: found.shares.map((share) => ratio(share, found.total)),
  };
}

function signedExamples(points: number[][], labels: number[], bias: number): Problem {
  const classes = [...new Set(labels)].sort((a, b) => a - b);
  const count = classes.length;
  const lifted = points.map((x) => (bias ? [...x, bias] : [...x]));
  const { rows, exponent } = toIntegers(lifted);
  if (exponent < SMALLEST) throw new ForServer("some numbers are too small.");
  const codes = labels.map((label) => classes.indexOf(label));
  const common = { classes: count, constant: bias > 0, exponent };
  if (count < 3) {
    const vectors = rows.map((x, i) => (codes[i] === count - 1 ? x : x.map((v) => -v)));
    return { vectors, examples: rows.map((_, i) => i), rivals: [], ...common };
  }
  const pairs = codes.flatMap((own, i) => classes.flatMap((_, r) => (r === own ? [] : [[i, r]])));
  const vectors = pairs.map(([i, rival]) =>
    classes.flatMap((_, r) => rows[i].map((v) => (r === codes[i] ? v : r === rival ? -v : 0n))));
  return { vectors, examples: pairs.map(([i]) => i), rivals: pairs.map(([, r]) => r), ...common };
}

/** Weights that are negative on no signed example and positive on some; null if there are none. */
function weakSeparator(vectors: Integers[], zero: Nearest): Integers | null {
  // Such weights are zero on examples with a zero combination, so they are sought among those; what
  // such examples span is left out, again and again.
  let basis: Integers[] = vectors[0].map((_, j) => vectors[0].map((_, k) => (j === k ? 1n : 0n)));
  let spanning = zero.support.map((at) => vectors[at]);
  for (;;) {
    basis = nullSpace(spanning, basis.length).map((row) => reduced(combine(basis, row)));
    if (!basis.length) return null;
    const left = vectors.map((z) => basis.map((b) => dot(b, z))).filter((z) => z.some((v) => v));
    if (!left.length) return null;
    const found = nearestPoint(left);
    if (found.sum.some((v) => v)) return combine(basis, found.sum);
    spanning = found.support.map((at) => left[at]);
  }
}

/** A basis of all vectors that are orthogonal to these. */
function nullSpace(vectors: Integers[], width: number): Integers[] {
  const rows: Integers[] = [];
  const pivots: number[] = [];
  for (const vector of vectors) {
    const rest = rows.reduce((v, row, n) => eliminated(v, row, pivots[n]), vector);
    const pivot = rest.findIndex((v) => v);
    if (pivot < 0) continue;
    rows.forEach((row, n) => (rows[n] = eliminated(row, rest, pivot)));
    rows.push(rest);
    pivots.push(pivot);
  }
  const product = rows.reduce((all, row, n) => all * row[pivots[n]], 1n);
  const free = Array.from({ length: width }, (_, j) => j).filter((j) => !pivots.includes(j));
  return free.map((j) => {
    const out: Integers = new Array<bigint>(width).fill(0n);
    out[j] = product;
    rows.forEach((row, n) => (out[pivots[n]] = (-product / row[pivots[n]]) * row[j]));
    return reduced(out);
  });
}

/** A vector without its coordinate at a pivot, by a multiple of a row. */
function eliminated(vector: Integers, row: Integers, pivot: number): Integers {
  const [factor, own] = [vector[pivot], row[pivot]];
  return factor ? reduced(vector.map((v, j) => own * v - factor * row[j])) : vector;
}

/** Check in whole numbers what is about to be shown. */
function check(vectors: Integers[], { support, shares, total, sum }: Nearest, weak: Integers | null): void {
  const combined = combine(support.map((at) => vectors[at]), shares);
  const holds =
    shares.every((share) => share > 0n) &&
    shares.reduce((all, share) => all + share, 0n) === total &&
    combined.every((v, j) => v === sum[j]);
  const norm2 = dot(sum, sum);
  // If all margins of a combination are at least its norm, no hypothesis has a larger margin.
  const best = norm2 === 0n || vectors.every((z) => dot(z, sum) * total >= norm2);
  const weakly = weak === null || (vectors.every((z) => dot(z, weak) >= 0n) && vectors.some((z) => dot(z, weak) > 0n));
  if (!holds || !best || !weakly) throw new Error("the certificate does not prove the verdict; please report these points.");
}

/** A hypothesis as doubles, in the unit of the points. */
function weightsOf(problem: Problem, v: Integers | null, total: bigint, bias: number): Pick<Verdict, "weights" | "intercept"> {
  if (v === null) return { weights: null, intercept: null };
  const { classes, constant, exponent } = problem;
  const rows = classes > 2 ? classes : 1;
  const width = v.length / rows;
  const numbers = v.map((part) => timesPower(ratio(part, total), exponent));
  const table = Array.from({ length: rows }, (_, r) => numbers.slice(r * width, (r + 1) * width));
  return {
    weights: table.map((row) => (constant ? row.slice(0, -1) : row)),
    intercept: table.map((row) => (constant ? row[width - 1] * bias : 0)),
  };
}

function fraction(p: bigint, q: bigint): string {
  const common = gcd(p, q);
  return q === common ? String(p / common) : `${p / common}/${q / common}`;
}
