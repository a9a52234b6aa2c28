// The lesson "Voting and averaging".

import { num } from "../numbers";
import { counted, errorsOf, type Plan } from "./plan";

export const plan: Plan<{ passes: number; distance: number; seed: number }> = {
  name: "voting",
  initial: { passes: 1, distance: 1.5, seed: 0 },
  source: ({ distance, seed }) => ({ generator: "gaussians", parameters: { n: 60, distance }, seed }),
  panels: ({ passes }) => [{ algorithm: "VotedPerceptron", parameters: { max_iter: passes } }],
  answer: (lab) => errorsOf(lab, 0, "last"),
  claims: [
    ({ session: { run } }) => {
      const lives = run?.courses[0].lives(run.visits) ?? [];
      if (!run || lives.length < 2) return null;
      const most = Math.max(...lives.map((one) => one.life));
      return `${counted(lives.length, "hypothesis", "hypotheses")} share ${counted(run.visits, "vote")}; the best of them has ${num(most)}, the last one ${num(lives[lives.length - 1].life)}.`;
    },
    (lab) => {
      const [last, averaged, voted] = ["last", "averaged", "voted"].map((readout) => errorsOf(lab, 0, readout));
      if (last === null || averaged === null || voted === null || voted >= last || averaged >= last) return null;
      return `Of ${lab.data.examples.length} points the last hypothesis gets ${num(last)} wrong, the average ${num(averaged)}, the vote ${num(voted)}.`;
    },
  ],
  solved: (lab) => {
    const [last, voted] = [errorsOf(lab, 0, "last"), errorsOf(lab, 0, "voted")];
    return last !== null && voted !== null && last < voted;
  },
};
