// Exact arithmetic: doubles as whole numbers in a common unit, and what is made of them as doubles.

export type Integers = bigint[];

/** The value m·2^e of a double, m whole. */
function split(x: number): [m: bigint, e: number] {
  if (x === 0) return [0n, 0];
  let e = Math.max(-1074, Math.floor(Math.log2(Math.abs(x))) - 53);
  let m = timesPower(x, -e);
  while (m % 2 === 0) [m, e] = [m / 2, e + 1];
  return [BigInt(m), e];
}

/** x·2^e; in two steps, because 2^e alone may be out of range. */
export function timesPower(x: number, e: number): number {
  const half = Math.trunc(e / 2);
  return x * 2 ** half * 2 ** (e - half);
}

/** Doubles as whole numbers times 2^exponent, which is the same for all. */
export function toIntegers(rows: number[][]): { rows: Integers[]; exponent: number } {
  const parts = rows.map((row) => row.map(split));
  let exponent = 0;
  for (const row of parts) for (const [, e] of row) exponent = Math.min(exponent, e);
  return { rows: parts.map((row) => row.map(([m, e]) => m << BigInt(e - exponent))), exponent };
}

export function dot(u: Integers, v: Integers): bigint {
  let sum = 0n;
  for (let j = 0; j < u.length; j++) if (u[j] && v[j]) sum += u[j] * v[j];
  return sum;
}

/** The sum of some vectors, each times its factor. */
export function combine(vectors: Integers[], factors: Integers): Integers {
  return vectors[0].map((_, j) => factors.reduce((sum, f, n) => sum + f * vectors[n][j], 0n));
}

/** The same numbers without their common divisor. */
export function reduced(numbers: Integers): Integers {
  let common = 0n;
  for (const number of numbers) common = gcd(common, number);
  return common > 1n ? numbers.map((number) => number / common) : numbers;
}

export function gcd(a: bigint, b: bigint): bigint {
  while (b) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
}

/** Binary digits of a number that is not negative. */
function bits(n: bigint): number {
  const hex = n.toString(16);
  return n ? 4 * (hex.length - 1) + (32 - Math.clz32(parseInt(hex[0], 16))) : 0;
}

/** Numbers as doubles in a common unit, the largest below 2^200: close enough to compare. */
export function approximate(vectors: Integers[]): number[][] {
  let most = 0n;
  for (const vector of vectors) for (const v of vector) most = v > most ? v : -v > most ? -v : most;
  const drop = BigInt(Math.max(0, bits(most) - 200));
  return vectors.map((vector) => vector.map((v) => Number(v >> drop)));
}

/** p/q as a double; q is positive. */
export function ratio(p: bigint, q: bigint): number {
  if (p < 0n) return -ratio(-p, q);
  const shift = 64 - (bits(p) - bits(q));
  const whole = shift >= 0 ? (p << BigInt(shift)) / q : p / (q << BigInt(-shift));
  return timesPower(Number(whole), -shift);
}

/** Neighbouring doubles below and above the root of p/q·4^exponent; equal if it is a double. */
export function rootBounds(p: bigint, q: bigint, exponent: number): [below: number, above: number] {
  if (p === 0n) return [0, 0];
  let shift = 53 - Math.ceil((bits(p) - bits(q)) / 2);
  const shifted = () => (shift >= 0 ? [p << BigInt(2 * shift), q] : [p, q << BigInt(-2 * shift)]);
  let [top, bottom] = shifted();
  let root = wholeRoot(top / bottom);
  if (bits(root) > 53) {
    shift--;
    [top, bottom] = shifted();
    root = wholeRoot(top / bottom);
  }
  const exact = root * root * bottom === top;
  const scaled = (n: bigint) => timesPower(Number(n), exponent - shift);
  return [scaled(root), scaled(exact ? root : root + 1n)];
}

/** The root of a whole number, rounded down. */
function wholeRoot(n: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(n))));
  while (root * root > n) root--;
  while ((root + 1n) * (root + 1n) <= n) root++;
  return root;
}
