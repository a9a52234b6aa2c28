// The lesson "The margin".

import { num } from "../numbers";
import { resultOf, type Plan } from "./plan";

export const MANY = 100; // mistakes that the puzzle asks for

/** Mistakes over many orders of points with a margin. */
export interface Tried {
  margin: number;
  bound: number; // (R/γ)²
  least: number;
  most: number;
}

export const plan: Plan<{ margin: number; seed: number }, Tried> = {
  name: "margin",
  initial: { margin: 0.1, seed: 5 },
  source: ({ margin, seed }) => ({ generator: "halfplanes", parameters: { n: 40, margin }, seed }),
  panels: () => [{ algorithm: "Perceptron", parameters: { fit_intercept: false } }],
  answer: (lab) => resultOf(lab)?.updates ?? null,
  claims: [
    ({ least, most }) => (least < most ? `The number of mistakes depends on the order: over 200 orders of the same points it is between ${num(least)} and ${num(most)}.` : null),
    ({ most, bound }) => (most <= bound ? `It is never more than the bound, ${num(bound)}.` : null),
    ({ most, bound }) => (2 * most < bound ? `The bound speaks of the worst points that have this margin; yours are kinder, and no order needs even half of it.` : null),
  ],
  solved: ({ most }) => most >= MANY,
};
