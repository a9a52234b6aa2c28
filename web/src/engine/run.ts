// A run: a rule at work on one labelled problem, pass after pass, by the compiled loops.
//
// It does what src/rosenblatt/engine/run.py and bracket.py do, for data in memory.

import type { Engine } from "./engine";
import { heldLabels } from "./course";
import { append, Buffer, noUpdates, type Updates } from "./journal";
import type { Held } from "./memory";
import { ORDERS, type Order } from "./orders";
import { Generator } from "./random";
import type { Result, Values } from "./record";
import * as rounding from "./rounding";
import { Dense, Rows, type Rule, type Space, type Vector } from "./spaces";

export const BUFFER = 1 << 16; // updates that a call of a loop has room for
const MOST_PRODUCTS = 1 << 22; // inner products of examples that greedy loops may keep
const SMALLEST = 1e-140; // a number whose square keeps all its digits

/** The quantities of the convergence proof; see theory/loops/update.py. */
export interface Counters {
  t: number; // visits
  k: number; // updates
  mistakes: number;
  norm2: number;
  step_sum: number;
  best_norm2: number;
  best_step_sum: number;
  upper: number;
  drift: number;
}

export interface Pass {
  visits: number;
  updates: number;
  mistakes: number;
  errors: number;
}

/** What a run is made of. */
export interface Settings {
  rule: Rule;
  labels: number[]; // signs, or class numbers
  order: string;
  seed: number;
  needsDual: boolean;
  start: number[][] | null; // weights to begin with; null for zero
  done?: number; // visits of the order that another run has made before
}

const ZERO: Counters = {
  t: 0, k: 0, mistakes: 0, norm2: 0, step_sum: 0, best_norm2: Infinity, best_step_sum: 1, upper: Infinity, drift: 0,
};

export class Run {
  n: Counters;
  readonly passes: Pass[] = [];
  readonly updates = noUpdates();
  readonly checkpoints: { k: number[]; w: number[][][] } = { k: [], w: [] };
  readonly start: number[][];
  readonly begun: Counters; // before the first visit
  readonly fromZero: boolean;
  settled = false; // a pass over all examples changed nothing: none ever will
  separated = false; // the last hypothesis is proved to separate the examples
  lower = -Infinity; // a margin that some hypothesis was proved to have
  protected readonly count: number; // of examples
  protected readonly order: Order;
  protected readonly random: Generator;
  protected readonly y: Held;
  protected readonly h: Held;
  protected readonly dual: Held;
  protected readonly weights: Held;
  protected readonly rule: Values;
  protected readonly loopSpace: Values;
  private readonly plain: { loops: string; space: Values }; // to survey without variances
  private readonly cache: Values | null;
  private opened: Counters;
  private ahead: number; // visits to leave out
  private partial = false; // the pass did not visit all
  private entries = 0; // steps of the pass so far
  private least = Infinity; // the shortest of them
  private scaled = false; // whether any of them scales w
  private gap = Infinity; // how far w may be from the optimum
  private dualLength = 0; // of the sum of all examples times their coefficients, at most

  constructor(
    protected readonly engine: Engine,
    readonly space: Space,
    protected readonly settings: Settings,
    protected readonly buffer: Buffer,
    protected readonly points: number[][],
  ) {
    const { memory } = engine;
    const { labels, start } = settings;
    this.count = labels.length;
    this.order = ORDERS[settings.order];
    this.random = new Generator(settings.seed);
    this.y = heldLabels(engine, labels, space.rows);
    const h = start ? space.fromRows(engine, start) : space.origin(engine);
    this.h = memory.array("<f8", space.shape, h);
    this.start = space.asRows(space.weights(h));
    this.fromZero = !this.start.flat().some((w) => w !== 0);
    this.dual = memory.array("<f8", [settings.needsDual ? this.count : 0]);
    this.weights = memory.array("<f8", [1], [1]);
    this.rule = engine.rule(settings.rule.kind, settings.rule.parameters);
    this.loopSpace = this.makeSpace();
    const base = this.loopSpace.rule && this.loopSpace.base;
    this.plain = base ? { loops: "Dense", space: base as Values } : { loops: space.loops, space: this.loopSpace };
    this.cache = this.order.pick ? this.marginCache() : null;
    this.ahead = settings.done ?? 0;
    this.n = { ...ZERO, t: this.ahead, norm2: space.squaredNorm(engine, h) };
    this.begun = this.opened = this.n;
  }

  /** Signs, or class numbers. */
  get labels(): number[] {
    return this.settings.labels;
  }

  get parameterNames(): string[] {
    return this.engine.parameters(this.settings.rule.kind)!;
  }

  /** Whether it makes no further pass. */
  get rests(): boolean {
    return this.settled;
  }

  get converged(): boolean {
    return this.settled && this.separated;
  }

  get hypothesis(): Vector {
    return this.h.values as Vector;
  }

  /** The largest length of an example in this space. */
  get radius(): number {
    return Math.sqrt(Math.max(0, this.radius2));
  }

  /** Bounds on the best margin in this space that the run itself has proved. */
  get bracket(): [number, number] {
    return [this.lower, Math.min(this.fromZero ? this.n.upper : Infinity, this.radiusAbove)];
  }

  /** Make one pass. */
  advance(): void {
    const visits = this.remaining();
    this.open();
    this.engine.memory.scope(() => {
      const held = this.engine.memory.array("<u4", [visits.length], visits);
      let done = 0;
      while (done < visits.length) done += this.chunk(held.part(done, visits.length));
    });
    this.close();
  }

  /** The visits of a pass, but for those that were made before. */
  private remaining(): Uint32Array {
    let visits = this.order.draw(this.count, this.random, this.engine);
    while (visits.length > 0 && this.ahead >= visits.length) {
      this.ahead -= visits.length;
      visits = this.order.draw(this.count, this.random, this.engine);
    }
    this.partial = this.ahead > 0;
    visits = visits.subarray(this.ahead);
    this.ahead = 0;
    return visits;
  }

  protected open(): void {
    this.n = { ...this.n, best_norm2: Infinity, best_step_sum: 1 };
    this.opened = this.n;
    [this.entries, this.least, this.scaled] = [0, Infinity, false];
  }

  /** One call of the loop; the visits done. */
  private chunk(visits: Held): number {
    const { loops } = this.space;
    const { y, weights, rule, h, dual, cache } = this;
    const common = { space: this.loopSpace, y, weights, visits, rule, h, dual, n: this.counters(), journal: this.buffer.record };
    const result = cache
      ? this.engine.call(`greedy ${loops}`, { ...common, pick: this.order.pick, cache })
      : this.engine.call(`online ${loops}`, common);
    return this.flush(result);
  }

  /** Take over what a loop returned and wrote; the visits done. */
  private flush(result: Result): number {
    const [done, used, counted] = result as [number, number, number[]];
    this.tally(counted);
    this.record(this.buffer.taken(used));
    return done;
  }

  protected tally([t, k, mistakes, norm2, step_sum, best_norm2, best_step_sum]: number[]): void {
    this.n = { ...this.n, t, k, mistakes, norm2, step_sum, best_norm2, best_step_sum };
    if (Number.isFinite(norm2)) return;
    throw new Error(`the weights overflowed after ${k} updates; scale the points, or bound the step.`);
  }

  /** Note updates: how many, the shortest, and whether any of them scales w. */
  protected record(made: Updates): void {
    this.entries += made.a.length;
    for (const a of made.a) this.least = Math.min(this.least, a);
    this.scaled ||= made.c.some((c) => c !== 1);
    append(this.updates, made);
  }

  // --- the end of a pass ------------------------------------------------------------------------

  /** End a pass: count, prove, and see whether it was the last. */
  protected close(): void {
    const { n, opened } = this;
    if (this.fromZero && this.scaled) this.recentre();
    this.n = { ...n, norm2: this.squared() };
    const margins = new Float64Array(this.count);
    const [errors, low] = this.review(margins);
    const updates = n.k - opened.k;
    this.passes.push({ visits: n.t - opened.t, updates, mistakes: n.mistakes - opened.mistakes, errors });
    this.separated = low > this.error();
    this.prove(low);
    if (this.settings.needsDual && this.fromZero) this.gap = this.optimalityGap(margins, low);
    const still = updates === 0 && ((this.order.covers && !this.partial) || !this.unsettled());
    this.settled = still || (this.settings.needsDual && this.gap <= this.settings.rule.parameters[2]);
  }

  /** <w, w> afresh. */
  protected squared(): number {
    return this.space.squaredNorm(this.engine, this.hypothesis.slice());
  }

  /** Training mistakes of the hypothesis and its least margin. */
  protected review(margins: Float64Array): [number, number] {
    return this.engine.memory.scope(() => {
      const { memory } = this.engine;
      const out = memory.array("<f8", [this.count]);
      const { loops, space } = this.plain;
      const w = this.space.weights(this.hypothesis);
      const h = space === this.loopSpace ? this.h : memory.array("<f8", [w.length], w.slice());
      const found = this.engine.call(`survey ${loops}`, { space, y: this.y, h, margins: out }) as [number, number];
      margins.set(out.values as Float64Array);
      return found;
    });
  }

  /** Whether the rule would step on any example; asked where a pass does not visit all. */
  protected unsettled(): boolean {
    const { y, rule, h, dual } = this;
    const asked = { space: this.loopSpace, y, rule, h, dual, n: this.counters() };
    return this.engine.call(`unsettled ${this.space.loops}`, asked) as boolean;
  }

  /** Subtract the mean of the class vectors from each: only rounding can make one. */
  private recentre(): void {
    if (!(this.space instanceof Rows)) return;
    const { rows, width } = this.space;
    const h = this.hypothesis;
    for (let j = 0; j < width; j++) {
      let total = 0;
      for (let r = 0; r < rows; r++) total += h[r * width + j];
      for (let r = 0; r < rows; r++) h[r * width + j] -= total / rows;
    }
    this.checkpoints.k.push(this.updates.t.length);
    this.checkpoints.w.push(this.space.asRows(h));
  }

  // --- what is proved ---------------------------------------------------------------------------

  protected get radius2(): number {
    let most = 0;
    for (let i = 0; i < this.count; i++) most = Math.max(most, this.norms2[i]);
    return this.space.copies * most;
  }

  private get norms2(): Float64Array {
    const space = (this.loopSpace.base ?? this.loopSpace) as Values;
    return (space.norms2 as Held).values as Float64Array;
  }

  /** The terms of a sum over a hypothesis, as far as its error goes. */
  private get terms(): number {
    return this.space.rows * this.space.width + this.space.extraTerms;
  }

  protected get radiusAbove(): number {
    return rounding.longest(this.radius2, this.space.width + this.space.extraTerms);
  }

  /** What rounding may have done to the margins of the hypothesis. */
  protected error(): number {
    return rounding.marginError(this.radiusAbove, rounding.longest(this.n.norm2, this.terms), this.space.width);
  }

  /** Bracket the best margin by what this pass has shown. */
  protected prove(low: number): void {
    const proved = low > 0 ? rounding.floor(low, this.error(), rounding.longest(this.n.norm2, this.terms)) : -Infinity;
    this.lower = Math.max(this.lower, proved);
    if (this.fromZero && this.space.conic) this.n = this.settings.needsDual ? this.loweredByDual() : this.lowered();
  }

  /** Counters with the upper end that |w|/step_sum now proves. */
  private lowered(): Counters {
    const { n, opened, terms, entries } = this;
    let reach = this.radiusAbove;
    if (opened.step_sum > 0) reach = Math.max(reach, rounding.longest(opened.norm2, terms) / opened.step_sum + opened.drift);
    const drift = n.drift + rounding.drift(entries, this.space.rows, reach, terms, this.least);
    const ends = rounding.ceiling(n.norm2, n.step_sum, drift, terms);
    const [norm2, steps] = [n.best_norm2, n.best_step_sum];
    let best = Infinity;
    if (SMALLEST < steps && steps < 1 / SMALLEST && norm2 > SMALLEST * SMALLEST) {
      const grown = rounding.carried(entries, reach, terms + this.space.rows);
      best = rounding.ceiling(norm2 + grown * steps * steps, steps, drift, terms);
    }
    return { ...n, upper: Math.min(n.upper, ends, best), drift };
  }

  /** The upper end by the sum of all examples, each times its coefficient, taken afresh. */
  private loweredByDual(): Counters {
    const dual = this.dual.values as Float64Array;
    const used = [...dual.keys()].filter((i) => dual[i] !== 0);
    if (!used.length || dual.some((b) => b < 0)) return this.n;
    const factors = used.map((i) => dual[i]);
    const w = this.sum(used, factors);
    const steps = dual.reduce((sum, b) => sum + b, 0);
    const drift = rounding.drift(used.length, 1, this.radiusAbove, this.terms, Math.min(...factors));
    const norm2 = this.space.squaredNorm(this.engine, w);
    this.dualLength = rounding.longest(norm2, this.terms) + drift * steps;
    const upper = rounding.ceiling(norm2, steps, drift, this.terms);
    return { ...this.n, upper: Math.min(this.n.upper, upper), step_sum: steps };
  }

  /** The sum of some signed examples, each times its factor. */
  private sum(used: number[], factors: number[]): Vector {
    const { memory } = this.engine;
    return memory.scope(() => {
      const h = memory.array("<f8", this.space.shape);
      const entries = new Buffer(this.engine, used.length);
      (entries.record.i as Held).values.set(used.map(BigInt) as never);
      const b = memory.array("<f8", [used.length], factors);
      this.engine.call(`add ${this.space.loops}`, { space: this.loopSpace, y: this.y, journal: entries.record, b, h });
      return (h.values as Vector).slice();
    });
  }

  /** How far AdaTron's w may be from what it seeks, with every rounding error against it. */
  protected optimalityGap(margins: Float64Array, low: number): number {
    const { n, count } = this;
    const [, C] = this.settings.rule.parameters;
    const error = this.error();
    const missing = margins.reduce((sum, m) => sum + Math.max(0, 1 - m), 0);
    const length = Math.max(rounding.longest(n.norm2, this.terms), this.dualLength);
    const norm2 = length * length;
    const steps = n.step_sum * (1 - 4 * (count + 16) * rounding.UNIT);
    if (norm2 <= 0) return Infinity;
    if (C === Infinity) return low > error ? 1 - ((low - error) * steps) / norm2 : Infinity;
    const loss = missing * (1 + count * rounding.UNIT) + count * error;
    return 1 - (steps - 0.5 * norm2) / (0.5 * norm2 + C * loss);
  }

  // --- arguments of loops -----------------------------------------------------------------------

  protected counters(): Values {
    return { ...this.n };
  }

  private makeSpace(): Values {
    const record = this.space.record(this.engine);
    return record.rule ? { ...record, rule: this.rule } : record;
  }

  /** Room for the margins of all examples, for loops that choose among them. */
  private marginCache(): Values {
    const { memory } = this.engine;
    const kept = this.space instanceof Dense && this.space.additive && this.count ** 2 <= MOST_PRODUCTS ? this.count : 0;
    return {
      margins: memory.array("<f8", [this.count], new Float64Array(this.count).fill(NaN)),
      norms2: memory.array("<f8", [this.count]),
      products: memory.array("<f8", [kept, kept]),
      computed: memory.array("|b1", [kept]),
      due: memory.array("<i8", [this.count]),
      unit_step: memory.array("<f8", this.space.shape, this.space.origin(this.engine)),
    };
  }
}
