// Readouts of a run, made by the compiled loops as src/rosenblatt/theory/readouts.py makes them.

import type { Engine } from "../src/engine/engine";
import type { Held } from "../src/engine/memory";
import type { Values } from "../src/engine/record";

/** The arguments of an online call after it, and a copy of h from before. */
export interface Learned {
  space: Values;
  y: Held;
  visits: Held;
  rule: Values;
  before: Held;
  h: Held;
  journal: Record<"t" | "i" | "r" | "a" | "c", Held>;
}

/** The visits that each hypothesis survived. */
export function survivals(run: Learned, used: number, visits: number): BigInt64Array {
  const at = [0n, ...(run.journal.t.values as BigInt64Array).subarray(0, used), BigInt(visits)];
  return BigInt64Array.from(at.slice(1), (t, e) => t - at[e]);
}

/** The first entries of the journal. */
function part(engine: Engine, run: Learned, used: number): Values {
  const columns = Object.entries(run.journal).map(([name, column]) => {
    const values = column.values.slice(0, used) as ArrayLike<number | bigint>;
    return [name, engine.memory.array(column.type, [used], values)];
  });
  return Object.fromEntries(columns) as Values;
}

/** The sum of the hypotheses over their lives. */
function blend(engine: Engine, space: string, run: Learned, lives: BigInt64Array): Held {
  const { memory } = engine;
  const journal = part(engine, run, lives.length - 1);
  const old = run.before.values as Float64Array;
  const held = memory.array("<i8", [lives.length], lives);
  const common = { space: run.space, y: run.y, journal };
  if (["Dense", "Rows"].includes(space)) {
    const g = memory.array("<f8", [lives.length]);
    engine.call("pull", { c: journal.c, lives: held, g });
    const shares = g.values as Float64Array;
    const steps = (journal.a as Held).values as Float64Array;
    const b = memory.array("<f8", [steps.length], steps.map((a, e) => shares[e + 1] * a));
    const h = memory.array("<f8", run.h.shape, old.map((w) => (g.values[0] as number) * w));
    engine.call(`add ${space}`, { ...common, b, h });
    return h;
  }
  const [h, total] = [memory.array("<f8", run.h.shape, old), memory.array("<f8", run.h.shape)];
  engine.call(`replay ${space}`, { ...common, lives: held, h, total });
  return total;
}

/** The mean of the hypotheses after each visit. */
export function average(engine: Engine, space: string, run: Learned, used: number): Float64Array {
  const visits = run.visits.size;
  const total = blend(engine, space, run, survivals(run, used, visits));
  return (total.values as Float64Array).map((w) => w / visits);
}

/** Training mistakes; of a hypothesis with variances, those of its mean. */
function mistakes(engine: Engine, space: string, run: Learned, h: Held): number {
  const call = (name: string, of: Values, w: Held) =>
    engine.call(`survey ${name}`, { space: of, y: run.y, h: w, margins: engine.memory.array("<f8", [0]) });
  if (!["Diagonal", "Full"].includes(space)) return (call(space, run.space, h) as number[])[0];
  const width = h.shape[1];
  const values = h.values as Float64Array;
  const mean = space === "Full" ? values.slice(0, width) : values.filter((_, at) => at % width === 0);
  const w = engine.memory.array("<f8", [mean.length], mean);
  return (call("Dense", run.space.base as Values, w) as number[])[0];
}

/** The hypothesis of the longest run of visits without a mistake, with the ratchet. */
export function pocket(engine: Engine, space: string, run: Learned, used: number): Float64Array {
  let [longest, errors, best] = [0n, Infinity, run.h];
  survivals(run, used, run.visits.size).forEach((life, e) => {
    const correct = e ? life - 1n : life; // the visit that made a hypothesis is no success
    if (correct <= longest) return;
    const once = new BigInt64Array(e + 1);
    once[e] = 1n;
    const h = e === used ? run.h : blend(engine, space, run, once);
    const wrong = mistakes(engine, space, run, h);
    if (wrong < errors) [longest, errors, best] = [correct, wrong, h];
  });
  return best.values as Float64Array;
}
