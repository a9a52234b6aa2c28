// The lesson "When no line exists".

import { counted, resultOf, type Plan } from "./plan";

const FLIPPED = { n: 20, margin: 0.1, noise: 0.05 }; // one label of 20

export const plan: Plan<{ kind: string; seed: number }> = {
  name: "noline",
  initial: { kind: "xor", seed: 0 },
  source: ({ kind, seed }) => ({ generator: kind, parameters: kind === "halfplanes" ? FLIPPED : { n: 24 } as Record<string, number>, seed }),
  panels: () => [{ algorithm: "Perceptron", parameters: { max_iter: 20 } }],
  answer: ({ session: { verdict } }) => (verdict?.verdict === "inseparable" ? verdict.support.length : null),
  claims: [
    ({ session: { verdict }, data }) => verdict?.verdict !== "inseparable" ? null
      : `${counted(verdict.support.length, "point")} of ${data.examples.length} prove it; the circles round them are as large as their weights.`,
    (lab) => {
      const result = resultOf(lab);
      return result && !result.converged ? `After 20 passes the perceptron has made ${counted(result.updates, "mistake")}, and it would go on for ever.` : null;
    },
  ],
  solved: ({ data, session }) => data.source === null && session.verdict?.verdict === "separable",
};
