// What a lesson runs, and what its text says of the run: the page shows a sentence about a run only
// where it is true, and the tests prove it true of the run that the lesson begins with.

import type { Replay } from "../engine/replay";
import type { Lab } from "../lab.svelte";
import type { DataState, PanelState } from "../link";
import type { Settings } from "../settings.svelte";

/** A sentence about facts; null where it is not true of them. */
export type Claim<Facts> = (facts: Facts) => string | null;

/** A lesson without its text; `Facts` are what claims and puzzle are about. */
export interface Plan<S extends Settings, Facts = Lab> {
  name: string; // in addresses, and of the figure
  initial: S;
  source: (settings: S) => DataState;
  panels: (settings: S) => PanelState[];
  answer: (lab: Lab) => number | null; // to the question before Play, when the run has ended
  claims: Claim<Facts>[];
  solved: (facts: Facts) => boolean; // whether the puzzle is
}

/** The result of a panel's run; null while there is none. */
export function resultOf(lab: Lab, panel = 0) {
  return lab.session.runs[panel]?.document.result ?? null;
}

/** How many examples a panel's run gets wrong in the end. */
export function errorsOf(lab: Lab, panel = 0, readout?: string): number | null {
  const run = lab.session.runs[panel];
  return run ? run.wrong(run.visits, readout).filter(Boolean).length : null;
}

/** How many labels the generator has flipped. */
export function flippedIn({ data }: Lab): number {
  return Math.floor(data.examples.length * (data.source?.parameters.noise ?? 0));
}

/** The distance of the nearest example from a run's line in the end, negative if it is beyond it. */
export function marginOf(run: Replay): number {
  const [course] = run.courses;
  const [w] = run.weights(run.visits);
  return Math.min(...run.points.map((_, i) => course.margin(w, i))) / course.norm(w);
}

/** The length of the longest step that a run has made. */
export function longestStep(run: Replay): number {
  const { space, updates } = run.courses[0];
  return Math.max(0, ...updates.a.map((a, e) => a * Math.sqrt(space.exampleNorm2(updates.i[e]))));
}

/** "1 mistake", "2 mistakes". */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`;
}
