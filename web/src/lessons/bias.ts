// The lesson "The bias".

import { num } from "../numbers";
import { counted, errorsOf, resultOf, type Plan } from "./plan";
import type { Lab } from "../lab.svelte";

export const FAR = 0.5; // where the puzzle wants the clouds

const biased = (lab: Lab) => lab.session.biased;

export const plan: Plan<{ bias: boolean; shift: number; seed: number }> = {
  name: "bias",
  initial: { bias: false, shift: 1.2, seed: 0 },
  source: ({ shift, seed }) => ({ generator: "gaussians", parameters: { n: 30, distance: 5, shift }, seed }),
  panels: ({ bias }) => [{ algorithm: "Perceptron", parameters: { fit_intercept: bias, max_iter: 20 } }],
  answer: (lab) => errorsOf(lab),
  claims: [
    (lab) => {
      const result = resultOf(lab);
      if (!result || biased(lab) || lab.session.verdict?.verdict !== "inseparable") return null;
      return `No line through the origin separates these points: after 20 passes and ${counted(result.updates, "mistake")} the perceptron still gets ${num(errorsOf(lab)!)} of ${lab.data.examples.length} wrong.`;
    },
    (lab) => {
      const result = resultOf(lab);
      if (!result?.converged || !biased(lab)) return null;
      return `With a bias it found a line after ${counted(result.updates, "mistake")}.`;
    },
    (lab) => {
      const result = resultOf(lab);
      return result?.converged && !biased(lab) ? "Here a line through the origin will do, and no bias is needed." : null;
    },
  ],
  solved: (lab) => {
    const { source } = lab.data;
    return !biased(lab) && resultOf(lab)?.converged === true && source !== null && Math.abs(source.parameters.shift) >= FAR;
  },
};
