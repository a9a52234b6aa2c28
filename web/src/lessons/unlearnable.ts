// The lesson "Learning the unlearnable".
//
// MaxOver 1 is left out on purpose: on noisy points it lets rounding grow, so that no two processors
// end alike. The run here is the same on all that are tested.

import { num } from "../numbers";
import type { Lab } from "../lab.svelte";
import { use } from "../presets";
import { errorsOf, flippedIn, type Plan } from "./plan";

export const LEARNERS = ["MaxOver", "pocket", "perceptron"];
export const N = 60;
const PASSES = 5;

const kappaIn = (lab: Lab) => Number(lab.session.panels[0]?.parameters.kappa);

export const plan: Plan<{ noise: number; kappa: number; seed: number }> = {
  name: "unlearnable",
  initial: { noise: 0.1, kappa: 0.5, seed: 0 },
  source: ({ noise, seed }) => ({ generator: "halfplanes", parameters: { n: N, margin: 0.05, noise }, seed }),
  panels: ({ kappa }) => [
    use("MaxOver", { fit_intercept: false, algorithm: 3, kappa, max_iter: PASSES }),
    use("PocketPerceptron", { fit_intercept: false, max_iter: PASSES }),
    use("Perceptron", { fit_intercept: false, max_iter: PASSES }),
  ],
  answer: (lab) => errorsOf(lab),
  claims: [
    (lab) => {
      const [pocket, last] = [errorsOf(lab, 1), errorsOf(lab, 2)];
      if (pocket === null || last === null || pocket >= last) return null;
      return `The perceptron's last line gets ${num(last)} of ${N} wrong, the one in the pocket ${num(pocket)}.`;
    },
    (lab) => {
      const [mine, flipped] = [errorsOf(lab), flippedIn(lab)];
      if (mine === null || mine <= flipped || kappaIn(lab) <= 0) return null;
      return `MaxOver, asked for κ = ${num(kappaIn(lab))}, gives up ${num(mine)} points, more than the ${num(flipped)} that are flipped: it wants its points far from the line, and lets too many go for it.`;
    },
    (lab) => {
      const [mine, flipped] = [errorsOf(lab), flippedIn(lab)];
      if (mine === null || mine > flipped || flipped === 0) return null;
      return `MaxOver, asked for κ = ${num(kappaIn(lab))}, gives up ${num(mine)} points; ${num(flipped)} labels are flipped.`;
    },
  ],
  solved: (lab) => flippedIn(lab) > 0 && (errorsOf(lab) ?? Infinity) <= flippedIn(lab),
};
