// What is proved about examples, in the sentences of src/rosenblatt/proofs/checker/statement.py.

import type { Verdict } from "../schema";

/** What a statement is made of. */
export interface Proved {
  examples: number;
  many: boolean; // more than two classes
  verdict: Verdict["verdict"];
  bracket: [number, number];
  bound: bigint | null; // on updates
  support: number;
  weak: boolean; // weakly separable
}

const WEAK = [
  [
    "They are not weakly separable either: every hyperplane that does not contain all examples has at least one on its wrong side.",
    "They are weakly separable: some hyperplane has no example on its wrong side and does not contain all examples. The best margin is exactly 0.",
  ],
  [
    "They are not weakly separable either: weights that score no example higher in another class than in its own score each example the same in all classes.",
    "They are weakly separable: some weights score no example higher in another class than in its own, and at least one example lower in some other class. The best margin is exactly 0. A single class may still be strictly separable from the rest.",
  ],
];

export function statement({ examples, many, verdict, bracket, bound, support, weak }: Proved): string {
  const all = `The ${examples.toLocaleString("en-US")} examples`;
  if (verdict === "inseparable") {
    return `${all} are not strictly separable: a convex combination of ${support} signed examples is exactly zero. ${WEAK[Number(many)][Number(weak)]}`;
  }
  return (
    `${all} are separable: the weights classify every example correctly. The best margin is ${range(...bracket)}. ` +
    `Started at zero, the perceptron makes at most ${bound!.toLocaleString("en-US")} updates on these examples, in any order.`
  );
}

/** Both ends of a bracket in words, or one number if they are printed alike. */
function range(lower: number, upper: number): string {
  const [low, high] = [sixDigits(lower, 0), sixDigits(upper, 0)];
  return low === high ? `${low}, to six digits` : `between ${sixDigits(lower, -1)} and ${sixDigits(upper, 1)}`;
}

/** A positive number to six digits: rounded up, down (-1) or to the nearest (0). */
export function sixDigits(x: number, way: -1 | 0 | 1): string {
  const nearest = x.toExponential(5);
  const error = Math.sign(x - Number(nearest)); // of the same sign as `way`: it must go on by one
  if (error === 0 || error !== way) return general(nearest);
  const [digits, power] = nearest.split("e");
  const next = Number(digits.replace(".", "")) + way;
  return general(Number(`${next}e${Number(power) - 5}`).toExponential(5));
}

/** Without needless zeros, and without an exponent where none is needed, as Python writes it. */
function general(scientific: string): string {
  const power = Number(scientific.split("e")[1]);
  if (power >= -4 && power < 6) return String(Number(scientific));
  const [digits] = scientific.split("e");
  const short = digits.replace(/\.?0+$/, "");
  return `${short}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
