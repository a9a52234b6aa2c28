// The lesson "Does it generalise?".

import type { Replay } from "../engine/replay";
import type { Lab } from "../lab.svelte";
import type { DataState } from "../link";
import { percent } from "../numbers";
import type { Drawn } from "../schema";
import { errorsOf, type Plan } from "./plan";

export const PASSES = 30;
export const FRESH = 1000; // new points
const SETTLED = 10; // passes after which an average has settled

/** Shares of errors after each pass, of one's own points and of new ones. */
export interface Measured {
  train: number[];
  test: number[];
}

export interface Trial {
  last: Measured;
  averaged: Measured;
  least: number; // error of the best classifier there is
  n: number; // points learned from
}

/** New points like those of a lab: drawn from the same clouds. */
export const like = ({ generator, parameters, seed }: DataState): DataState => ({ generator, seed: seed + 1000, parameters: { ...parameters, n: FRESH } });

const share = (flags: boolean[]) => flags.filter(Boolean).length / flags.length;

/** The errors of a run after each pass. */
function measure(run: Replay, { points, labels }: Drawn): Measured {
  const ends = run.ends();
  return { train: ends.map((T) => share(run.wrong(T))), test: ends.map((T) => share(run.misses(T, points, labels))) };
}

/** What new points say of both runs; null while one is missing. */
export function trialOf({ session: { runs }, data }: Lab, drawn: Drawn): Trial | null {
  const [last, averaged] = runs;
  if (!last || !averaged || drawn.noise === null) return null;
  return { last: measure(last, drawn), averaged: measure(averaged, drawn), least: drawn.noise, n: data.learned };
}

/** Two standard deviations of the error that the best classifier has on the new points. */
export const sampling = (least: number) => 2 * Math.sqrt((least * (1 - least)) / FRESH);

const range = (shares: number[]): [number, number] => [Math.min(...shares), Math.max(...shares)];
const inBand = ({ averaged, least }: Trial) => averaged.test.at(-1)! <= least + sampling(least);

export const FEWEST = 20; // points that the puzzle allows

export const plan: Plan<{ noise: number; n: number; seed: number }, Trial> = {
  name: "new",
  initial: { noise: 0.1, n: 60, seed: 7 },
  source: ({ noise, n, seed }) => ({ generator: "gaussians", parameters: { n, distance: 4, noise }, seed }),
  panels: () => ["Perceptron", "AveragedPerceptron"].map((algorithm) => ({ algorithm, parameters: { max_iter: PASSES } })),
  answer: (lab) => errorsOf(lab),
  claims: [
    ({ last, averaged }) => {
      const [jumps, settles] = [last, averaged].map(({ test }) => range(test.slice(SETTLED)));
      if (jumps[1] - jumps[0] < 4 * (settles[1] - settles[0])) return null;
      return `After pass ${SETTLED} the last hypothesis jumps between ${percent(jumps[0])} and ${percent(jumps[1])} wrong; the average stays between ${percent(settles[0])} and ${percent(settles[1])}.`;
    },
    (trial) => (inBand(trial) ? `In the end the average is wrong on ${percent(trial.averaged.test.at(-1)!)} of the new points: as good as the best classifier, as far as ${FRESH.toLocaleString("en-US")} points can tell.` : null),
    (trial) => (inBand(trial) ? null : `In the end the average is wrong on ${percent(trial.averaged.test.at(-1)!)} of the new points, more than the best classifier would be.`),
  ],
  solved: (trial) => trial.n <= FEWEST && inBand(trial),
};
