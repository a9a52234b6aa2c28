// A document replayed: all its runs, by the readout it was made with or by another.

import { countBelow, Course, firstLargest } from "./course";
import { engine } from "./current";
import { Similarity } from "./similarity";
import { Dense, Diagonal, Dual, Full, Mirror, Rows, type Rule, type Space, type Vector } from "./spaces";
import { READOUTS, Sampled, type Last } from "./readouts";
import type { Mark } from "./tally";
import type { Config, Data, Document, Entries } from "../schema";

/** Why the page cannot show a document; null if it can. */
export function obstacle(document: Document): string | null {
  const { readout, space } = document.config;
  const missing = [document, ...document.others].some((run) => !run.reads?.t.length);
  if (!Object.hasOwn(READOUTS, readout) && missing) {
    return `The page does not know the readout "${readout}", and the document has no samples of it in "reads", so this run cannot be shown.`;
  }
  if (space.kind === "kernel" && !Similarity.knows(space.kernel)) {
    return `The page cannot evaluate the kernel "${space.kernel}", so this run cannot be shown.`;
  }
  if (["diagonal", "full"].includes(space.kind) && !engine().parameters(document.config.rule)) {
    return `The page does not know the rule ${document.config.rule}, so this run cannot be shown.`;
  }
  return null;
}

/** The rule of a run; an infinite parameter is null in JSON. */
function ruleOf({ rule, parameters }: Config): Rule {
  const names = engine().parameters(rule) ?? [];
  return { kind: rule, parameters: names.map((name) => (parameters[name] === null ? Infinity : Number(parameters[name]))) };
}

/** The space of a run; `rows` is the number of scores. */
function spaceOf(config: Config, { points, bias, offset }: Data, rows: number): Space {
  const examples = { points, bias, offset };
  const { kind, p, kernel, degree, gamma, coef0, constant } = config.space;
  if (kind === "linear") return new Dense(examples);
  if (kind === "rows") return new Rows(examples, rows);
  if (kind === "mirror") return new Mirror(examples, p ?? Infinity);
  if (kind === "diagonal") return new Diagonal(examples, ruleOf(config));
  if (kind === "full") return new Full(examples, ruleOf(config));
  const settings = { kernel: kernel!, degree: degree ?? 3, gamma: gamma ?? 1, coef0: coef0 ?? 0, constant: constant ?? 0 };
  return new Dual(points, new Similarity(settings), rows);
}

/** A document replayed: one course, or one for each class against the rest. */
export class Replay {
  readonly document: Document;
  readonly courses: Course[];
  readonly visits: number; // of the longest course
  readonly moments: number[]; // visits done after each update, of all courses, in order
  private readonly runs: (Document | Entries)[];
  private readonly made = new Map<string, Last[]>(); // readouts by name, one for each course

  /** `marks` are those of another thread, for each course. */
  constructor(document: Document, marks: Mark[][] | null = null) {
    const problem = obstacle(document);
    if (problem !== null) throw new Error(problem);
    this.document = document;
    this.runs = [document, ...document.others];
    const { config, data } = document;
    this.courses = this.runs.map((run) => {
      const space = spaceOf(config, data, run.start.w.length);
      return new Course(engine(), space, { ...run, labels: run.data.labels as number[] }, data.points);
    });
    this.visits = Math.max(...this.runs.map((run) => Number(run.counters.t ?? 0)));
    const at = new Set<number>();
    for (const course of this.courses) for (const t of course.updates.t) at.add(t + 1);
    this.moments = [...at].sort((a, b) => a - b);
    if (marks) this.readouts().forEach((one, n) => one.tallies.takeOver(one.tallied!, this.points, marks[n]));
  }

  /** Where tallies on the examples can go on from, for each course; null if scores need none. */
  marks(): Mark[][] | null {
    const readouts = this.readouts();
    return readouts[0].tallied ? readouts.map((one) => one.tallies.marks(one.tallied!, this.points)) : null;
  }

  /** The name of the readout that the document was made with. */
  get readout(): string {
    return this.document.config.readout;
  }

  get classes(): number {
    return this.document.data.classes.length;
  }

  get points(): number[][] {
    return this.document.data.points;
  }

  get targets(): number[] {
    return this.document.data.targets;
  }

  /** Moments passed when T visits are done. */
  step(T: number): number {
    return countBelow(this.moments, T + 1);
  }

  /** The hypothesis on a budget changes by more than the visited example, which nothing names. */
  get bounded(): boolean {
    return (this.document.config.settings.budget ?? null) !== null;
  }

  /** A readout of each course. */
  readouts(name: string = this.readout): Last[] {
    const known = this.made.get(name) ?? this.courses.map((course, f) => this.makeReadout(name, course, this.runs[f]));
    this.made.set(name, known);
    return known;
  }

  private makeReadout(name: string, course: Course, run: Document | Entries): Last {
    const { config } = this.document;
    const normalised = config.space.kind === "kernel" && config.settings.normalise === true;
    if (Object.hasOwn(READOUTS, name)) return READOUTS[name](course, normalised, config);
    if (name === this.readout && run.reads) return new Sampled(course, normalised, run.reads);
    throw new Error(`The page does not know the readout "${name}".`);
  }

  /** Visits done when the sample shown at T was taken; null where the page folds the readout. */
  sampledAt(T: number): number | null {
    const [first] = this.readouts();
    return first instanceof Sampled ? first.takenAt(T) : null;
  }

  /** Weights by a readout after T visits, for each course; a vote has none, and gives the last. */
  weights(T: number, readout?: string): Vector[] {
    return this.readouts(readout).map((one) => one.weights(T));
  }

  /** Scores of points by a readout: one with two classes, else one for each class. */
  scores(T: number, xs: ArrayLike<number>[], readout?: string): number[][] {
    return joined(this.readouts(readout).map((one) => one.scores(T, xs)), xs.length);
  }

  /** The same for the points of a picture. */
  picture(T: number, xs: ArrayLike<number>[], readout?: string): number[][] {
    return joined(this.readouts(readout).map((one) => one.scoresOnce(T, xs)), xs.length);
  }

  /** Class numbers, ties as the library breaks them. */
  predicted(T: number, xs: ArrayLike<number>[], readout?: string): number[] {
    return this.scores(T, xs, readout).map(choice);
  }

  /** Which examples a readout gets wrong. */
  wrong(T: number, readout?: string): boolean[] {
    return this.predicted(T, this.points, readout).map((c, i) => c !== this.targets[i]);
  }

  /** Which other points, of known labels, a readout gets wrong. */
  misses(T: number, xs: ArrayLike<number>[], labels: number[]): boolean[] {
    const { classes } = this.document.data;
    return this.predicted(T, xs).map((c, n) => classes[c] !== labels[n]);
  }

  /** Updates on mistakes when T visits are done; those for the sake of a margin are left out. */
  mistaken(T: number): number {
    return this.courses.reduce((sum, course) => sum + course.mistaken(course.made(T)), 0);
  }

  /** Passes that have ended when T visits are done. */
  passes(T: number): number {
    let done = this.courses[0].begun;
    let count = 0;
    for (const visits of this.document.passes.visits) {
      done += visits;
      if (done > T) break;
      count++;
    }
    return count;
  }

  /** Visits done at the end of each pass. */
  ends(): number[] {
    let done = this.courses[0].begun;
    const longest = this.runs.reduce((a, b) =>
      b.passes.visits.length > a.passes.visits.length ? b : a,
    );
    return longest.passes.visits.map((visits) => (done += visits));
  }
}

/** The scores of all courses side by side, in a row for each point. */
function joined(parts: number[][][], count: number): number[][] {
  return parts.length === 1 ? parts[0] : Array.from({ length: count }, (_, n) => parts.flatMap((part) => part[n]));
}

/** The class that scores predict. */
export function choice(scores: number[]): number {
  return scores.length === 1 ? (scores[0] > 0 ? 1 : 0) : firstLargest(scores);
}
