// A plan: what a member of the family with some settings learns with, and how.
//
// It is made as the estimators of the library make theirs. What they would reject, and what the page
// does not know, is for the server: it answers with a run, or with a sentence.

import type { Algorithm, Parameter } from "../schema";
import type { Engine } from "./engine";
import { normalQuantile } from "./quantile";
import { ORDERS } from "./orders";
import { RandomState } from "./random";
import { READOUTS as KNOWN } from "./readouts";
import type { KernelSettings } from "./similarity";
import { SCHEMES, type Rule, type Sharing } from "./spaces";

export type Setting = boolean | number | string | null;

/** Examples that are kept away from learning. */
export interface Held {
  points: number[][];
  labels: number[];
}

/** What is to be learned. */
export interface Task {
  points: number[][];
  labels: number[];
  algorithm: Algorithm;
  parameters: Record<string, Setting>;
  seed: number;
  start: { coef: number[][]; intercept: number[]; visits?: number } | null; // weights to begin with, instead of zero, and visits that the order is ahead
  held: Held | null; // examples that are not learned
}

export interface Plan {
  rule: Rule;
  classes: number[];
  problem: "binary" | "native" | "ovr";
  seeds: number[]; // one for each run
  readout: string;
  order: string;
  bias: number;
  p: number; // of the norm in which examples are measured
  sharing: Sharing;
  passes: number; // at most
  batch: boolean; // one step per pass
  needsDual: boolean;
  variances: boolean; // weights have variances,
  full: boolean; // and covariances
  start: number[][][] | null; // the weights that each run begins with
  gallant: boolean; // the pocket's schedule
  kernel: KernelPlan | null;
}

export interface KernelPlan {
  settings: KernelSettings;
  moment: number; // share of all visits after which a random reading takes its hypotheses
  budget: number | null;
  policy: { kind: string; parameters: Record<string, number>; inverts: boolean } | null;
}

/** What the page leaves to the server, and why. */
export class ForServer extends Error {}

type Settings = Record<string, never>;

/** The facts of the data that a rule may depend on. */
interface Facts {
  dimension: number; // of a hypothesis, the bias and every class included
  examples: number;
  mean: number; // <x, x> of an example, in the mean and
  largest: number; // at most, as it counts in a step
}

const DRAWS = 10_000; // of Gallant's first round
const PICKS = ["least", "violated", "nearest"]; // the order of each of Wendemuth's algorithms
const POWERS: Record<string, number> = { constant: 0, inverse: 1, sqrt: 0.5 };
const LINKS: Record<string, number> = { log: 0, exponential: Infinity };
const rule = (kind: string, ...parameters: (number | boolean)[]): Rule => ({ kind, parameters: parameters.map(Number) });
const plain = (given: Settings) => rule("Plain", given.eta0);
const full = (given: Settings) => given.covariance === "full";

/** The rule of each member, by its settings and the facts of the data. */
const RULES: Record<string, (given: Settings, facts: Facts) => Rule> = {
  Perceptron: plain,
  AveragedPerceptron: plain,
  VotedPerceptron: plain,
  PocketPerceptron: plain,
  MarginPerceptron: ({ margin, negative_margin: negative, eta0 }) =>
    negative === null ? rule("Margin", margin, eta0) : rule("Uneven", margin, negative, eta0),
  PassiveAggressive: ({ variant, C }) =>
    variant === "PA" ? rule("PA", 1) : rule(variant === "PA-I" ? "PA1" : "PA2", C, 1),
  MIRA: ({ margin }) => rule("Mira", margin),
  ROMMA: ({ aggressive }) => rule("Romma", aggressive),
  ALMA: ({ alpha, p, B, C }) => rule("Alma", alpha, p, B ?? 0, C),
  Ballseptron: ({ radius }) => rule("Ballsep", radius),
  DynamicMarginPerceptron: ({ eps }) => rule("Dynamic", eps),
  MinOver: ({ c }, { largest, dimension }) => rule("Margin", (c * largest) / dimension, 1 / dimension),
  MaxOver: ({ algorithm, kappa, limit, normalise }, { dimension, mean }) => {
    const factor = normalise || mean === 0 ? 0 : Math.sqrt(dimension / mean);
    return rule("Maxover", algorithm === 1 ? Infinity : kappa, limit ?? Infinity, dimension, factor);
  },
  ThermalPerceptron: ({ eta0, temperature, annealing, max_iter: passes }, { mean, examples }) =>
    rule("Thermal", temperature * (eta0 * mean || 1), eta0, annealing ? passes * examples : 0),
  AdaTron: ({ eta0, C, gap }) => rule("Adatron", eta0, C, gap),
  BatchPerceptron: ({ eta0, learning_rate: rate }) => rule("Descent", eta0, POWERS[rate]),
  WinnowPerceptron: ({ eta0, p }) => rule("Winnow", eta0, LINKS[p] ?? p),
  SecondOrderPerceptron: (given) => rule("Sop", given.a, full(given)),
  ConfidenceWeighted: (given) =>
    rule(given.variant === "stdev" ? "CW" : "CWVariance", normalQuantile(given.confidence), full(given)),
  AROW: (given) => rule("Arow", given.r, full(given), 1),
  SCW: (given) =>
    rule(given.variant === "I" ? "SCW1" : "SCW2", given.C, normalQuantile(given.confidence), full(given)),
  NHERD: (given) => rule("Nherd", given.C, full(given)),
};

/** Members whose readout is not a setting. */
const READOUTS: Record<string, string> = {
  Perceptron: "last", AveragedPerceptron: "averaged", VotedPerceptron: "voted", PocketPerceptron: "pocket",
};

/** Budget policies: their rule, unless any will do, and their parameters. */
const POLICIES: Record<string, { kind: string; parameters: Record<string, number>; rule: Rule | null; keeps: boolean; inverts: boolean }> = {
  stop: { kind: "Stop", parameters: {}, rule: null, keeps: true, inverts: false },
  oldest: { kind: "Oldest", parameters: {}, rule: null, keeps: false, inverts: false },
  random: { kind: "Random", parameters: {}, rule: null, keeps: false, inverts: false },
  "bpa-s": { kind: "PassiveAggressiveSwap", parameters: { C: 1 }, rule: rule("PA1", 1, 1), keeps: false, inverts: false },
  projectron: { kind: "Projectron", parameters: { eta: 0.1 }, rule: rule("Plain", 1), keeps: true, inverts: true },
  "projectron++": { kind: "ProjectronPlus", parameters: { eta: 0.1 }, rule: rule("Penalised", 1, 0), keeps: true, inverts: true },
  forgetron: { kind: "Forgetron", parameters: {}, rule: rule("Plain", 1), keeps: false, inverts: false },
  bogd: { kind: "Bogd", parameters: { eta0: 0.1, lam: 0.01 }, rule: rule("Penalised", 0.1, 0.01), keeps: false, inverts: false },
};

/** Refuse what only the library can judge. */
function forServer(why: string): never {
  throw new ForServer(why);
}

/** The settings of a task, with the defaults of those that are not given. */
export function settings({ algorithm, parameters }: Task): Record<string, Setting> {
  const known = [...algorithm.parameters, ...algorithm.common];
  const unknown = Object.keys(parameters).find((name) => !known.some((p) => p.name === name));
  if (unknown) forServer(`${algorithm.name} has no parameter "${unknown}".`);
  return Object.fromEntries(known.map((p) => [p.name, value(p, parameters[p.name] ?? (p.name in parameters ? null : p.default))]));
}

/** A value in its plain type; a wrong one is for the server, which says what is wrong. */
function value(parameter: Parameter, given: Setting): Setting {
  const { name, kind, choices, nullable, bounds } = parameter;
  if (kind === "choice") return choices.includes(given) ? given : forServer(`${name} is not one of its choices.`);
  if (given === null) return nullable ? null : forServer(`${name} must not be empty.`);
  if (kind === "boolean") return typeof given === "boolean" ? given : forServer(`${name} is no flag.`);
  const number = given === "inf" ? Infinity : given;
  const { above, least, below, most, infinite } = bounds ?? {};
  const holds = typeof number === "number" && (Number.isFinite(number) || (infinite && number === Infinity)) &&
    (kind === "number" || Number.isInteger(number)) &&
    number > (above ?? -Infinity) && number >= (least ?? -Infinity) &&
    (number < (below ?? Infinity) || below === null || below === undefined) && number <= (most ?? Infinity);
  return holds ? number : forServer(`${name} is out of bounds.`);
}

/** The plan of a task. */
export function makePlan(engine: Engine, task: Task): Plan {
  const { algorithm, points, labels } = task;
  const given = settings(task);
  const classes = [...new Set(labels)].sort((a, b) => a - b);
  if (classes.length < 2) forServer("there is one class only.");
  const bias = given.fit_intercept ? Number(given.intercept_scaling) : 0;
  const problem = classes.length === 2 ? "binary" : (given.multiclass as "native" | "ovr");
  const native = problem === "native" ? classes.length : 0;
  const kernel = algorithm.name === "KernelPerceptron";
  const features = points[0].length;
  const named = "rule" in given;
  const first = named ? byName(engine, String(given.rule)) : null;
  const bare = first ?? ruleOf(algorithm.name, given, { dimension: 1, examples: 1, mean: 1, largest: 1 });
  const names = engine.parameters(bare.kind)!;
  const rawPower = names.includes("p") ? bare.parameters[names.indexOf("p")] : 2;
  const p = rawPower || Math.max(2, 2 * Math.log(features + (bias === 0 ? 0 : 1)));
  const facts = kernel ? null : measured(engine, points, bias, p, native);
  const made = first ?? ruleOf(algorithm.name, given, facts!);
  const random = new RandomState(task.seed);
  const runs = problem === "ovr" && !kernel ? classes.length : 1;
  const seeds = Array.from({ length: runs }, () => random.seed());
  const plan: Plan = {
    rule: made, classes, problem, seeds, bias, p,
    readout: READOUTS[algorithm.name] ?? String(given.readout),
    order: orderOf(algorithm.name, given),
    sharing: { scheme: SCHEMES.indexOf(String(given.scheme)), beta: made.kind === "Mira" ? made.parameters[0] : 0 },
    passes: given.schedule ? Math.max(Number(given.max_iter), Math.ceil(DRAWS / points.length)) : Number(given.max_iter),
    batch: given.method === "batch",
    needsDual: engine.marks(made.kind).needs_dual,
    variances: engine.facts(made.kind, made.parameters).prior_variance > 0,
    full: made.parameters[engine.parameters(made.kind)!.indexOf("full")] === 1,
    start: startOf(task, problem === "binary" ? 1 : classes.length, problem, bias),
    gallant: given.schedule === "gallant",
    kernel: kernel ? kernelPlan(given, bias, features, random.uniform()) : null,
  };
  if (algorithm.name === "MaxOver") plan.start ??= hebb(points, labels, plan, given.normalise === true, facts!);
  if (plan.kernel?.policy) plan.rule = POLICIES[String(given.budget_policy)].rule ?? plan.rule;
  check(engine, plan, given, rawPower);
  return plan;
}

function ruleOf(name: string, given: Record<string, Setting>, facts: Facts): Rule {
  if (!Object.hasOwn(RULES, name)) forServer(`the page does not know ${name}.`);
  return RULES[name](given as Settings, facts);
}

/** A rule by its name, with its defaults. */
function byName(engine: Engine, name: string): Rule {
  return engine.ruleByName(name) ?? forServer(`the page does not know the rule "${name}".`);
}

function orderOf(name: string, given: Record<string, Setting>): string {
  if (given.order !== null) return String(given.order);
  if (name === "MinOver") return "least";
  if (name === "MaxOver") return PICKS[Number(given.algorithm) - 1];
  if (given.schedule) return "sampled";
  return given.shuffle ? "shuffled" : "cyclic";
}

/** The facts of the data; numbers whose squares overflow or vanish are for the server. */
function measured(engine: Engine, points: number[][], bias: number, p: number, native: number): Facts {
  const features = points[0].length;
  const norms2 = engine.memory.scope(() => {
    const X = engine.memory.array("<f8", [points.length, features], points.flat());
    const out = engine.memory.array("<f8", [points.length]);
    engine.call("dense_norms2", { X, bias, p, out });
    return (out.values as Float64Array).slice();
  });
  const total = norms2.reduce((sum, v) => sum + v, 0);
  const largest = norms2.reduce((most, v) => Math.max(most, v), 0);
  if (!Number.isFinite(total) || largest < 1e-280) forServer("the numbers are too large or too small.");
  const twice = native ? 2 : 1; // an example stands against its rival
  return {
    dimension: Math.max(1, native) * (features + (bias > 0 ? 1 : 0)),
    examples: points.length,
    mean: (twice * total) / points.length,
    largest: twice * largest,
  };
}

/** Weights to begin with, in a table for each run. */
function startOf({ start }: Task, scores: number, problem: Plan["problem"], bias: number): number[][][] | null {
  if (!start) return null;
  if (start.coef.length !== scores) forServer(`there are ${start.coef.length} rows of weights to begin with, not ${scores}.`);
  const rows = start.coef.map((row, r) => [...row, bias ? start.intercept[r] / bias : 0]);
  return problem === "native" ? [rows] : rows.map((row) => [row]);
}

/** Where MaxOver begins: the sum of all signed examples, scaled to the length N. */
function hebb(points: number[][], labels: number[], plan: Plan, normalise: boolean, facts: Facts): number[][][] {
  const lifted = points.map((point) => [...point, plan.bias]);
  const lengths = lifted.map((x) => Math.hypot(...x));
  const scales = lengths.map((length) => (!normalise ? 1 : length > 0 ? 1 / length : 0));
  const least = 1e-9 * scales.reduce((sum, v) => sum + v, 0) * Math.max(...lengths);
  return labellings(plan, labels).map((own) => {
    const rows = plan.problem === "native" ? plan.classes.map((_, c) => c) : [0];
    const share = (i: number, c: number) => (plan.problem === "native" ? Number(own[i] === c) - 1 / rows.length : own[i]);
    const sums = rows.map((c) => lifted[0].map((_, j) => lifted.reduce((sum, x, i) => sum + x[j] * share(i, c) * scales[i], 0)));
    const length = Math.hypot(...sums.flat());
    if (length <= least) forServer("the sum of the examples vanishes.");
    return sums.map((row) => row.map((v) => v * (facts.dimension / length)));
  });
}

/** The labels of each run: class numbers, or signs of one class against the rest. */
export function labellings({ problem, classes }: Pick<Plan, "problem" | "classes">, labels: number[]): number[][] {
  if (problem === "native") return [labels.map((label) => classes.indexOf(label))];
  const positives = problem === "binary" ? classes.slice(1) : classes;
  return positives.map((positive) => labels.map((label) => (label === positive ? 1 : -1)));
}

function kernelPlan(given: Record<string, Setting>, bias: number, features: number, moment: number): KernelPlan {
  const budget = given.budget === null ? null : Number(given.budget);
  const policy = budget === null ? null : POLICIES[String(given.budget_policy)];
  if (budget !== null && !policy) forServer(`the page does not know the policy "${given.budget_policy}".`);
  return {
    settings: {
      kernel: String(given.kernel), degree: Number(given.degree), coef0: Number(given.coef0),
      gamma: given.gamma === null ? 1 / features : Number(given.gamma), constant: bias * bias,
    },
    moment, budget, policy: policy ?? null,
  };
}

/** Leave to the server what the library rejects. */
function check(engine: Engine, plan: Plan, given: Record<string, Setting>, power: number): void {
  const { problem, readout, kernel, needsDual, variances } = plan;
  const native = problem === "native";
  const picks = PICKS.includes(plan.order);
  if (!Object.hasOwn(KNOWN, readout)) forServer(`the page does not know the readout "${readout}".`);
  if (!Object.hasOwn(ORDERS, plan.order)) forServer(`the page does not know the order "${plan.order}".`);
  if (engine.marks(plan.rule.kind).space) forServer(`the rule ${plan.rule.kind} has a space of its own.`);
  const rejected =
    (readout === "voted" && (power !== 2 || variances)) ||
    (native && (plan.p !== 2 || variances || needsDual)) ||
    (needsDual && plan.start !== null) ||
    (plan.batch && plan.sharing.scheme !== 0) ||
    (kernel && (plan.p !== 2 || variances || picks || plan.start !== null)) ||
    (kernel && given.normalise === true && (readout === "pocket" || native)) ||
    (kernel && native && ["voted", "random"].includes(readout)) ||
    (kernel?.policy && rejectedBudget(engine, plan, given));
  if (rejected) forServer("the library rejects these settings.");
}

function rejectedBudget(engine: Engine, plan: Plan, given: Record<string, Setting>): boolean {
  const policy = POLICIES[String(given.budget_policy)];
  const own = policy.rule !== null && given.rule !== "plain";
  const bounded = engine.facts(plan.rule.kind, plan.rule.parameters).ball_radius2 < Infinity;
  const average = plan.readout === "averaged" && given.normalise !== true && policy.keeps;
  return own || plan.needsDual || bounded || plan.problem === "native" || (plan.readout !== "last" && !average);
}
