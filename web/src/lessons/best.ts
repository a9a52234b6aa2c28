// The lesson "The best line".

import { percent } from "../numbers";
import type { Lab } from "../lab.svelte";
import { use } from "../presets";
import { counted, marginOf, resultOf, type Plan } from "./plan";

export const WANTED = 0.99; // of the best margin, in the puzzle
export const LEARNERS = ["MinOver", "Perceptron"];

/** What share of the best margin a panel's line has in the end. */
export function shareOf(lab: Lab, panel: number): number | null {
  const [run, best] = [lab.session.runs[panel], lab.session.verdict?.margin];
  return run && best ? marginOf(run) / best : null;
}

export const plan: Plan<{ c: number; seed: number }> = {
  name: "best",
  initial: { c: 10, seed: 7 },
  source: ({ seed }) => ({ generator: "halfplanes", parameters: { n: 40, margin: 0.15 }, seed }),
  panels: ({ c }) => [
    use("MinOver", { fit_intercept: false, c }),
    use("Perceptron", { fit_intercept: false }),
  ],
  answer: (lab) => {
    const share = shareOf(lab, 1);
    return share === null ? null : Math.round(100 * share);
  },
  claims: [
    (lab) => {
      const [share, result] = [shareOf(lab, 1), resultOf(lab, 1)];
      if (share === null || !result?.converged || share >= 0.5) return null;
      return `The perceptron stops at the first line that makes no mistake. This one has ${percent(share)} of the best margin, after ${counted(result.updates, "update")}.`;
    },
    (lab) => {
      const [share, plain, result] = [shareOf(lab, 0), shareOf(lab, 1), resultOf(lab)];
      if (share === null || plain === null || !result?.converged || share <= plain) return null;
      return `MinOver goes on for ${counted(result.updates, "update")}, and has ${percent(share)} of it.`;
    },
  ],
  solved: (lab) => (shareOf(lab, 0) ?? 0) >= WANTED && resultOf(lab)?.converged === true,
};
