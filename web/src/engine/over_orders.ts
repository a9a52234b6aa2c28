// Updates of the perceptron over many orders of the same points, as src/rosenblatt/lab/actions.py
// counts them.

import type { Limits, OrdersRequest } from "../schema";
import type { Engine } from "./engine";
import { Buffer } from "./journal";
import { ForServer, labellings } from "./plan";
import { BUFFER, Run } from "./run";
import { Dense } from "./spaces";

const MOST_PASSES = 2000; // over one order

/** Count the updates until each run stops; it can be left after each pass, where it yields. */
export function* countUpdates(engine: Engine, asked: OrdersRequest, limits: Limits): Generator<void, number[]> {
  const { data: { points, labels: given }, fit_intercept = true, intercept_scaling = 1, orders = 200, seed: first = 0 } = asked;
  const classes = [...new Set(given)].sort((a, b) => a - b);
  if (classes.length !== 2) throw new ForServer("the bound on updates is for two classes.");
  const [labels] = labellings({ problem: "binary", classes }, given);
  const space = new Dense({ points, bias: fit_intercept ? intercept_scaling : 0, offset: 0 });
  const mark = engine.memory.mark();
  try {
    const buffer = new Buffer(engine, BUFFER);
    const rule = engine.ruleByName("plain")!;
    const deadline = performance.now() + 1000 * limits.seconds;
    const updates: number[] = [];
    while (updates.length < orders && performance.now() < deadline) {
      const begun = engine.memory.mark();
      const seed = first + updates.length;
      const run = new Run(engine, space, { rule, labels, order: "shuffled", seed, needsDual: false, start: null }, buffer, points);
      while (!run.settled && run.passes.length < MOST_PASSES && run.n.k <= limits.updates && performance.now() < deadline) {
        run.advance();
        yield;
      }
      updates.push(run.n.k);
      engine.memory.release(begun);
    }
    return updates;
  } finally {
    engine.memory.release(mark);
  }
}
