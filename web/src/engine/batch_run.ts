// Descent on the perceptron criterion by batch steps: one step per pass, on all mistakes at once.

import type { Held } from "./memory";
import { firstLargest } from "./course";
import { noUpdates } from "./journal";
import { Run } from "./run";

export class BatchRun extends Run {
  override advance(): void {
    this.open();
    const { n } = this;
    const { kind, parameters } = this.settings.rule;
    const [rate] = this.engine.step(kind, parameters, [0, 0, n.norm2, 0, n.t, n.k, n.step_sum, 1]);
    const made = noUpdates();
    this.rivals().forEach((rival, i) => {
      if (rival === null) return;
      for (const [name, value] of Object.entries({ t: n.t, i, r: rival, a: rate, c: 1 })) made[name as "t"].push(value);
    });
    const wrong = made.i.length;
    if (wrong) this.move(made.i, made.r, rate);
    this.tally([n.t + this.count, ...this.counted(wrong, rate)]);
    this.record(made);
    this.close();
    this.settled = wrong === 0; // the next pass would find the same
  }

  /** Of each example the best wrong class, 0 with two classes; null where there is no mistake. */
  private rivals(): (number | null)[] {
    const w = this.space.weights(this.hypothesis);
    return this.settings.labels.map((own, i) => {
      const scores = this.space.scores(w, this.points[i]);
      if (scores.length === 1) return own * scores[0] <= 0 ? 0 : null;
      const rival = firstLargest(scores.map((score, c) => (c === own ? -Infinity : score)));
      return scores[own] - scores[rival] <= 0 ? rival : null;
    });
  }

  /** Add the mistakes to the hypothesis, each times the rate. */
  private move(examples: number[], rivals: number[], rate: number): void {
    const { memory } = this.engine;
    memory.scope(() => {
      const count = examples.length;
      const blank = (type: "<i8" | "<f8") => memory.array(type, [count]);
      const journal = {
        t: blank("<i8"), a: blank("<f8"), c: blank("<f8"),
        i: memory.array("<i8", [count], examples.map(BigInt)),
        r: memory.array("<i4", [count], rivals),
      };
      const b = memory.array("<f8", [count], new Float64Array(count).fill(rate));
      this.engine.call(`add ${this.space.loops}`, { space: this.loopSpace, y: this.y, journal, b, h: this.h as Held });
    });
  }

  /** The counters after a step on some mistakes, from the number of updates on. */
  private counted(wrong: number, rate: number): number[] {
    const { k, mistakes, norm2, step_sum: before, best_norm2: least, best_step_sum: sum } = this.n;
    if (!wrong) return [k, mistakes, norm2, before, least, sum];
    const [now, steps] = [this.squared(), before + wrong * rate];
    const better = steps > 0 && now * sum * sum < least * steps * steps;
    return [k + 1, mistakes + wrong, now, steps, ...(better ? [now, steps] : [least, sum])];
  }
}
