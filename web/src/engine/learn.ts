// Learning: a plan's runs, pass after pass, and the document that the page replays.

import type { Config, Document, Entries, Limits } from "../schema";
import { BatchRun } from "./batch_run";
import { BudgetRun } from "./budget_run";
import { Course } from "./course";
import type { Engine } from "./engine";
import { Buffer } from "./journal";
import { Gram, KernelRun } from "./kernel_run";
import { labellings, makePlan, settings, type Plan, type Task } from "./plan";
import { Pocket } from "./readouts";
import { Replay } from "./replay";
import { BUFFER, Run, type Counters, type Pass, type Settings } from "./run";
import { Similarity } from "./similarity";
import { Dense, Diagonal, Dual, Full, Mirror, Rows, type Space } from "./spaces";

const FORMAT = "rosenblatt-journal/1";
const DRAWS = 10_000; // of Gallant's first round
const JOURNAL_NAMES: Record<string, string> = { norm2: "ww", step_sum: "sa", best_norm2: "bw", best_step_sum: "bs" };

/** Learn to the end; it can be left after each pass, where it yields. */
export function* learning(engine: Engine, task: Task, limits: Limits, library: string): Generator<void, Document> {
  const mark = engine.memory.mark();
  try {
    const plan = makePlan(engine, task);
    const runs = makeRuns(engine, plan, task);
    const deadline = performance.now() + 1000 * limits.seconds;
    let cut: string | null = null;
    const made = Math.floor((task.start?.visits ?? 0) / task.points.length);
    for (let pass = made; pass < plan.passes && runs.some((run) => !run.rests) && !cut; pass++) {
      for (const run of runs) if (!run.rests) run.advance();
      if (plan.gallant && runs.every((run) => run.settled || pocketRests(engine, task, run))) break;
      cut = exceeded(runs, limits, deadline);
      yield;
    }
    return documentOf(plan, task, runs, cut, library);
  } finally {
    engine.memory.release(mark);
  }
}

/** Learn to the end at once. */
export function learn(engine: Engine, task: Task, limits: Limits, library: string): Document {
  const steps = learning(engine, task, limits, library);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function makeRuns(engine: Engine, plan: Plan, task: Task): Run[] {
  const { points, labels } = task;
  const buffer = new Buffer(engine, BUFFER);
  const { kernel } = plan;
  const similarity = kernel ? new Similarity(kernel.settings) : null;
  const gram = similarity ? new Gram(similarity, points) : null;
  return labellings(plan, labels).map((own, number) => {
    const { rule, order, needsDual, seeds } = plan;
    const start = plan.start?.[number] ?? null;
    const done = task.start?.visits ?? 0;
    const given: Settings = { rule, labels: own, order, seed: seeds[kernel ? 0 : number], needsDual, start, done };
    if (!kernel) return new (plan.batch ? BatchRun : Run)(engine, linearSpace(plan, points), given, buffer, points);
    const rows = plan.problem === "native" ? plan.classes.length : 1;
    const space = new Dual(points, similarity!, rows, plan.sharing.scheme);
    if (kernel.budget !== null) return new BudgetRun(engine, space, given, buffer, gram!, kernel);
    return new KernelRun(engine, space, given, buffer, gram!, plan.sharing);
  });
}

function linearSpace(plan: Plan, points: number[][]): Space {
  const examples = { points, bias: plan.bias, offset: 0 };
  if (plan.problem === "native") return new Rows(examples, plan.classes.length, plan.sharing);
  if (plan.variances) return plan.full ? new Full(examples, plan.rule) : new Diagonal(examples, plan.rule);
  return plan.p === 2 ? new Dense(examples) : new Mirror(examples, plan.p);
}

/** Why a run ends before its time. */
function exceeded(runs: Run[], limits: Limits, deadline: number): string | null {
  const updates = runs.reduce((sum, run) => sum + run.n.k, 0);
  const late = performance.now() > deadline;
  if (!late && updates < limits.updates) return null;
  const what = late ? `${limits.seconds} seconds` : `${updates.toLocaleString("en-US")} updates`;
  return `cut off after ${what}: the limit of one run in the lab.`;
}

/** Whether a round of Gallant's schedule ended in the last pass with the pocket at rest. */
function pocketRests(engine: Engine, task: Task, run: Run): boolean {
  const { t } = run.n;
  const earlier = t - run.passes[run.passes.length - 1].visits;
  let budget = DRAWS;
  while (budget <= earlier) budget *= 1.5;
  if (t < budget) return false;
  const course = new Course(engine, run.space, recorded(run), task.points);
  const pocket = new Pocket(course, false, settings(task).ratchet !== false);
  return pocket.held(t).since <= 0.2 * t;
}

// --- the document ---------------------------------------------------------------------------------

function recorded(run: Run) {
  const { start, updates, checkpoints, labels } = run;
  return {
    labels,
    start: { w: start, counters: named(run.begun) },
    updates: { ...updates, g: null },
    checkpoints,
  };
}

/** Counters by their names in a journal; JSON has no infinity. */
function named(counters: Counters): Record<string, number | null> {
  const entries = Object.entries(counters) as [string, number][];
  return Object.fromEntries(entries.map(([name, value]) => [JOURNAL_NAMES[name] ?? name, finite(value)]));
}

const finite = (value: number) => (Number.isFinite(value) ? value : null);

function entriesOf(run: Run, config: Record<string, unknown>): Entries {
  const { labels, ...rest } = recorded(run);
  const column = (name: keyof Pass) => run.passes.map((pass) => pass[name]);
  return {
    format: FORMAT, config, data: { labels }, ...rest, counters: named(run.n), reads: null,
    passes: { visits: column("visits"), updates: column("updates"), mistakes: column("mistakes"), errors: column("errors") },
  };
}

function configOf(plan: Plan, task: Task, runs: Run[], library: string): Config {
  const given = settings(task);
  const names = runs[0].parameterNames;
  const visits = Math.max(...runs.map((run) => run.n.t));
  return {
    rule: plan.rule.kind,
    parameters: Object.fromEntries(names.map((name, at) => [name, finite(plan.rule.parameters[at])])),
    bias: plan.kernel ? 0 : plan.bias,
    from_zero: runs[0].fromZero,
    algorithm: task.algorithm.name,
    settings: { ...given, ...task.algorithm.fixed, random_state: task.seed },
    readout: plan.readout,
    drawn: plan.readout === "random" ? Math.floor(plan.kernel!.moment * visits) : null,
    order: plan.order,
    seed: task.seed,
    problem: plan.problem,
    space: spaceConfig(plan),
    library,
  };
}

function spaceConfig(plan: Plan): Config["space"] {
  const none = { prior: null, shrinks: null, p: null, kernel: null, degree: null, gamma: null, coef0: null, constant: null };
  if (plan.kernel) return { ...none, kind: "kernel", ...plan.kernel.settings };
  if (plan.problem === "native") return { ...none, kind: "rows" };
  if (plan.variances) return { ...none, kind: plan.full ? "full" : "diagonal" };
  return plan.p === 2 ? { ...none, kind: "linear" } : { ...none, kind: "mirror", p: finite(plan.p) };
}

function documentOf(plan: Plan, task: Task, runs: Run[], cut: string | null, library: string): Document {
  const config = configOf(plan, task, runs, library);
  const { rule, parameters, bias } = config;
  const [first, ...others] = runs.map((run) => entriesOf(run, { rule, parameters, bias, from_zero: run.fromZero }));
  const targets = task.labels.map((label) => plan.classes.indexOf(label));
  const data = { labels: runs[0].labels, points: task.points, targets, classes: plan.classes, bias, offset: 0 };
  const made: Document = { ...first, config, data, others, cut, result: resultOf(task, runs) };
  const replay = new Replay(made);
  made.result.errors = replay.wrong(replay.visits).filter(Boolean).length;
  if (!plan.kernel) {
    const rows = replay.weights(replay.visits).flatMap((w, n) => replay.courses[n].asRows(w));
    made.result.coef = rows.map((row) => row.slice(0, -1));
    made.result.intercept = rows.map((row) => row[row.length - 1] * bias);
  }
  return made;
}

/** What is known of the runs; weights and errors are the readout's. */
function resultOf(task: Task, runs: Run[]): Document["result"] {
  const passes = Math.max(...runs.map((run) => run.passes.length));
  const brackets = runs.map((run) => run.bracket);
  const [updates, converged] = [runs.reduce((sum, run) => sum + run.n.k, 0), runs.every((run) => run.converged)];
  return {
    coef: null, intercept: null, updates, passes, converged, errors: 0,
    radius: Math.max(...runs.map((run) => run.radius)),
    margin_bracket: [finite(Math.min(...brackets.map(([low]) => low))), finite(Math.min(...brackets.map(([, high]) => high)))],
    pass_mistakes: summed(runs, passes, (run, n) => run.passes[n]?.mistakes ?? 0),
    pass_errors: summed(runs, passes, (run, n) => (run.passes[n] ?? run.passes[run.passes.length - 1]).errors),
    summary: `${task.algorithm.name}: ${updates} updates in ${passes} passes, ${converged ? "separated" : "not separated"}`,
  };
}

function summed(runs: Run[], passes: number, number: (run: Run, pass: number) => number): number[] {
  return Array.from({ length: passes }, (_, n) => runs.reduce((sum, run) => sum + number(run, n), 0));
}
