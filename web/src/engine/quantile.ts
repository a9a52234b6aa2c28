// The normal law: its quantiles, by Wichura's rational functions (1988, algorithm AS 241), and its tail.

/** Coefficients of a numerator and a denominator, the highest power first. */
type Fraction = [number[], number[]];

const MIDDLE: Fraction = [
  [2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457, 13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608],
  [5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867, 5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1],
];
const SIDE: Fraction = [
  [7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734],
  [1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459, 0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1],
];
const TAIL: Fraction = [
  [2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093, 0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772],
  [2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4, 0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1],
];

const polynomial = (coefficients: number[], r: number) => coefficients.reduce((sum, one) => sum * r + one);

/** The x below which a part `probability` of the normal law lies; for 0.5 to 1. */
export function normalQuantile(probability: number): number {
  const q = probability - 0.5;
  if (q <= 0.425) {
    const r = 0.180625 - q * q;
    return (polynomial(MIDDLE[0], r) * q) / polynomial(MIDDLE[1], r);
  }
  const r = Math.sqrt(-Math.log(1 - probability));
  const [[above, below], at] = r <= 5 ? [SIDE, r - 1.6] : [TAIL, r - 5];
  return polynomial(above, at) / polynomial(below, at);
}

/** The part of the normal law above x; for x from 0 to 6. */
export function normalTail(x: number): number {
  // Between 0 and x lies the density times x + x³/3 + x⁵/(3·5) + …
  let sum = 0;
  for (let [n, term] = [1, x]; sum + term !== sum; n += 2, term *= (x * x) / n) sum += term;
  return 0.5 - (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}
