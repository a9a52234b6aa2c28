// The lesson "Passive and aggressive".

import { num } from "../numbers";
import type { Lab } from "../lab.svelte";
import { use } from "../presets";
import { errorsOf, flippedIn, longestStep, type Plan } from "./plan";

export const LEARNERS = ["passive-aggressive", "perceptron"];
const PASSES = 3;
const N = 40;

export const capIn = (lab: Lab) => Number(lab.session.panels[0]?.parameters.C);

/** The longest steps of both; null while a run is missing. */
export function stepsOf(lab: Lab): [number, number] | null {
  const [mine, plain] = lab.session.runs;
  return mine && plain ? [longestStep(mine), longestStep(plain)] : null;
}

export const plan: Plan<{ power: number; seed: number }> = {
  name: "passive",
  initial: { power: 2, seed: 0 },
  source: ({ seed }) => ({ generator: "halfplanes", parameters: { n: N, margin: 0.1, noise: 0.05 }, seed }),
  panels: ({ power }) => [
    use("PassiveAggressive", { fit_intercept: false, C: Number((10 ** power).toPrecision(2)), max_iter: PASSES }),
    use("Perceptron", { fit_intercept: false, max_iter: PASSES }),
  ],
  answer: (lab) => errorsOf(lab),
  claims: [
    (lab) => {
      const steps = stepsOf(lab);
      if (!steps || steps[0] <= 2 * steps[1]) return null;
      return `Its longest step is ${num(steps[0])} long, the perceptron's ${num(steps[1])}: one wrong label throws w far away.`;
    },
    (lab) => {
      const [mine, plain] = [errorsOf(lab), errorsOf(lab, 1)];
      if (mine === null || plain === null || mine <= plain) return null;
      return `After ${PASSES} passes it gets ${num(mine)} of ${N} wrong, the plain perceptron ${num(plain)}.`;
    },
    (lab) => {
      const [mine, plain] = [errorsOf(lab), errorsOf(lab, 1)];
      if (mine === null || plain === null || mine >= plain) return null;
      return `With C = ${num(capIn(lab))} it gets ${num(mine)} of ${N} wrong, the plain perceptron ${num(plain)}: no label can move w by more than C times its example.`;
    },
  ],
  solved: (lab) => (errorsOf(lab) ?? Infinity) <= flippedIn(lab) && flippedIn(lab) > 0,
};
