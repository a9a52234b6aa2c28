// Runs on a budget: the support set of a kernel hypothesis has at most a fixed size.

import type { Engine } from "./engine";
import type { Buffer } from "./journal";
import type { Held } from "./memory";
import { KernelRun, type Gram } from "./kernel_run";
import type { KernelPlan } from "./plan";
import { pseudoInverse } from "./pseudo_inverse";
import type { Settings } from "./run";
import type { Dual } from "./spaces";

export class BudgetRun extends KernelRun {
  private support: number[] = []; // examples with a factor, oldest first
  private damage = [0, 1]; // the Forgetron's sum, and the scale to record next
  private draws = new Float64Array(0); // a random number for each visit
  private readonly budget: number;
  private readonly policy: NonNullable<KernelPlan["policy"]>;

  constructor(engine: Engine, space: Dual, settings: Settings, buffer: Buffer, gram: Gram, plan: KernelPlan) {
    super(engine, space, settings, buffer, gram, { scheme: 0, beta: 0 });
    [this.budget, this.policy] = [plan.budget!, plan.policy!];
  }

  protected override drawVisits(): Uint32Array {
    const visits = super.drawVisits();
    this.draws = Float64Array.from(visits, () => this.random.uniform());
    return visits;
  }

  protected override visit(visits: Uint32Array, place: number): number {
    const { memory } = this.engine;
    const [first, before] = [visits.length, this.support];
    const columns = [...visits, ...before];
    const K = this.gram.part(this.engine, columns);
    const support = this.supportSet(K, first, place);
    const result = this.engine.call(`bounded ${this.policy.kind}`, {
      support,
      numbers: memory.array("<i8", [first], Array.from(visits, BigInt)),
      y: memory.array(this.y.type, [first], Array.from(visits, (i) => this.settings.labels[i])),
      weights: this.weights, rule: this.rule, policy: this.policy.parameters, n: this.counters(), journal: this.buffer.record,
    });
    const [done, used, counted] = result as [number, number, number[]];
    const size = Number(support.size.values[0]);
    const h = this.hypothesis;
    for (const i of before) h[i] = 0;
    this.support = Array.from(support.numbers.part(0, size).values, Number);
    this.damage = Array.from(support.memory.values, Number);
    this.support.forEach((i, j) => (h[i] = support.coef.values[j] as number));
    this.tally(counted);
    this.record(this.buffer.taken(used));
    return done;
  }

  /** The support set before a block; in K it comes after the block's examples. */
  private supportSet(K: Held, first: number, place: number): Record<"K" | "numbers" | "columns" | "coef" | "signs" | "size" | "inverse" | "share" | "memory" | "draws", Held> {
    const { memory } = this.engine;
    const [places, size] = [this.budget + 1, this.support.length];
    const filled = (type: "<i8" | "<f8", values: (number | bigint)[]) => {
      const held = memory.array(type, [places]);
      held.values.set(values as never);
      return held;
    };
    const signs = filled("<f8", new Array<number>(places).fill(1));
    this.support.forEach((i, j) => (signs.values[j] = this.settings.labels[i]));
    const inverse = memory.array("<f8", this.policy.inverts ? [places, places] : [0, 0]);
    if (this.policy.inverts) {
      // Afresh for every block, so that the errors of its growth do not add up.
      const own = pseudoInverse((this.gram.part(this.engine, this.support).values as Float64Array).slice(), size);
      for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) inverse.values[a * places + b] = own[a * size + b];
    }
    return {
      K, signs, inverse,
      numbers: filled("<i8", this.support.map(BigInt)),
      columns: filled("<i8", this.support.map((_, j) => BigInt(first + j))),
      coef: filled("<f8", this.support.map((i) => this.hypothesis[i])),
      size: memory.array("<i8", [1], [BigInt(size)]),
      share: memory.array("<f8", [places]),
      memory: memory.array("<f8", [2], this.damage),
      draws: memory.array("<f8", [first], this.draws.subarray(place, place + first)),
    };
  }
}
