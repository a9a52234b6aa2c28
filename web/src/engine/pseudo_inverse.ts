// The pseudo-inverse of a symmetric matrix, by Jacobi's rotations.

const CUTOFF = 1e-15; // eigenvalues below this part of the largest count as zero
const SWEEPS = 60;

/** The pseudo-inverse of a symmetric n x n matrix, row by row. */
export function pseudoInverse(matrix: Float64Array, n: number): Float64Array {
  const A = matrix.slice();
  const V = new Float64Array(n * n);
  for (let j = 0; j < n; j++) V[j * n + j] = 1;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let turned = false;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) turned = rotate(A, V, n, p, q) || turned;
    if (!turned) break;
  }
  const values = Array.from({ length: n }, (_, j) => A[j * n + j]);
  const least = CUTOFF * Math.max(0, ...values.map(Math.abs));
  const out = new Float64Array(n * n);
  values.forEach((value, j) => {
    if (Math.abs(value) <= least) return;
    for (let a = 0; a < n; a++) for (let b = 0; b < n; b++) out[a * n + b] += (V[a * n + j] * V[b * n + j]) / value;
  });
  return out;
}

/** Rotate the element (p, q) to zero; false if it was next to nothing. */
function rotate(A: Float64Array, V: Float64Array, n: number, p: number, q: number): boolean {
  const off = A[p * n + q];
  if (Math.abs(off) <= 1e-17 * Math.sqrt(Math.abs(A[p * n + p] * A[q * n + q])) || off === 0) return false;
  const theta = (A[q * n + q] - A[p * n + p]) / (2 * off);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const c = 1 / Math.hypot(t, 1);
  const s = t * c;
  const turn = (M: Float64Array, at: number, to: number) => {
    const [x, z] = [M[at], M[to]];
    M[at] = c * x - s * z;
    M[to] = s * x + c * z;
  };
  for (let k = 0; k < n; k++) turn(A, k * n + p, k * n + q);
  for (let k = 0; k < n; k++) turn(A, p * n + k, q * n + k);
  for (let k = 0; k < n; k++) turn(V, k * n + p, k * n + q);
  return true;
}
