// What the lessons say of their runs, against the runs: learned by the engine, not taken on trust.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { engine } from "../src/engine/current";
import { learn } from "../src/engine/learn";
import type { Learner } from "../src/engine/learner";
import { countUpdates } from "../src/engine/over_orders";
import { decide } from "../src/engine/separability";
import { drawToy } from "../src/engine/toys";
import { grid } from "../src/geometry";
import { Lab } from "../src/lab.svelte";
import { plan as best, shareOf } from "../src/lessons/best";
import { plan as bias } from "../src/lessons/bias";
import { plan as classes } from "../src/lessons/classes";
import { plan as kernels } from "../src/lessons/kernels";
import { plan as margin, type Tried } from "../src/lessons/margin";
import { FEWEST, like, plan as fresh, trialOf } from "../src/lessons/newpoints";
import { plan as noline } from "../src/lessons/noline";
import { capIn, plan as passive } from "../src/lessons/passive";
import { errorsOf, flippedIn, longestStep, resultOf, type Plan } from "../src/lessons/plan";
import { plan as unlearnable } from "../src/lessons/unlearnable";
import { plan as voting } from "../src/lessons/voting";
import type { DataRequest, Drawn, Registry } from "../src/schema";
import type { Settings } from "../src/settings.svelte";

const { registry } = JSON.parse(readFileSync(fileURLToPath(new URL("./learned.json", import.meta.url)), "utf8")) as { registry: Registry };
const draw = ({ generator, parameters, seed }: DataRequest): Drawn => drawToy(registry.generators, generator, parameters ?? {}, seed ?? 0);

/** The page's threads, without threads. */
const here: Learner = {
  learn: async (task, limits, library) => ({ document: learn(engine(), task, limits, library), curve: null, marks: null }),
  decide: async (points) => decide(points),
  countUpdates: async (points, limits) => {
    const steps = countUpdates(engine(), points, limits);
    let step = steps.next();
    while (!step.done) step = steps.next();
    return step.value;
  },
};

beforeEach(() => {
  vi.stubGlobal("fetch", async (_: string, { body }: { body: string }) => ({ ok: true, status: 200, json: async () => draw(JSON.parse(body)) }));
});
afterEach(() => vi.unstubAllGlobals());

/** A lesson's run, ended and decided. */
async function run<S extends Settings, F>({ initial, source, panels }: Plan<S, F>, changed: Partial<S> = {}): Promise<Lab> {
  const settings = { ...initial, ...changed };
  const lab = new Lab(registry, here);
  lab.session.panels = panels(settings);
  await lab.draw(source(settings), false);
  await vi.waitFor(() => expect(lab.session.verdict).not.toBeNull());
  lab.clock.to(lab.clock.end);
  return lab;
}

const said = <S extends Settings, F>({ claims }: Plan<S, F>, facts: F) => claims.map((claim) => claim(facts));

async function tried(changed = {}): Promise<Tried> {
  const lab = await run(margin, changed);
  const counts = await lab.session.countUpdates(lab.session.run!, 200, new AbortController().signal);
  const verdict = lab.session.verdict!;
  return { margin: verdict.margin!, bound: (verdict.radius / verdict.margin!) ** 2, least: Math.min(...counts), most: Math.max(...counts) };
}

describe("a lesson's text is true of the run that it begins with", () => {
  it("the margin", async () => {
    const facts = await tried();
    expect(said(margin, facts)).not.toContain(null);
    expect(margin.answer(await run(margin))).toBeLessThan(facts.bound);
    expect(margin.solved(facts)).toBe(false);
    expect(margin.solved(await tried({ margin: 0.02 }))).toBe(true);
    expect((await tried({ margin: 0.05 })).bound / facts.bound).toBeCloseTo(4, 9);
  });

  it("the bias", async () => {
    const [without, biased] = [await run(bias), await run(bias, { bias: true })];
    expect(said(bias, without).map((one) => one !== null)).toEqual([true, false, false]);
    expect(said(bias, biased).map((one) => one !== null)).toEqual([false, true, false]);
    expect(bias.answer(without)).toBeGreaterThan(5);
    expect(bias.answer(biased)).toBe(0);
    expect([bias.solved(without), bias.solved(biased)]).toEqual([false, false]);
    const near = await run(bias, { shift: 0.5 });
    expect(bias.solved(near)).toBe(true);
    expect(said(bias, near)[2]).toContain("no bias is needed");
  });

  it("when no line exists", async () => {
    const lab = await run(noline);
    expect(said(noline, lab)).not.toContain(null);
    expect(noline.answer(lab)).toBe(4);
    const flipped = await run(noline, { kind: "halfplanes" });
    expect(flipped.session.verdict!.verdict).toBe("inseparable");
    // One point is enough: the flipped one, put on its own side.
    const moved = flipped.data.examples.findIndex(({ x, label }) => label * (x[0] * flipped.data.drawn!.separator![0] + x[1] * flipped.data.drawn!.separator![1]) < 0);
    const { x, label } = flipped.data.examples[moved];
    expect(noline.solved(flipped)).toBe(false);
    flipped.move(moved, [-x[0], -x[1]]);
    await vi.waitFor(() => expect(noline.solved(flipped)).toBe(true));
    expect(label).toBe(flipped.data.examples[moved].label);
  });

  it("the best line", async () => {
    const lab = await run(best);
    expect(said(best, lab)).not.toContain(null);
    expect(best.answer(lab)).toBeLessThan(5);
    expect(best.solved(lab)).toBe(false);
    const longer = await run(best, { c: 30 });
    expect(best.solved(longer)).toBe(true);
    const missing = [lab, longer].map((one) => 1 - shareOf(one, 0)!);
    expect(missing[0] / missing[1]).toBeCloseTo(3, 0);
  });

  it("learning the unlearnable", async () => {
    const lab = await run(unlearnable);
    expect(said(unlearnable, lab).map((one) => one !== null)).toEqual([true, true, false]);
    expect([flippedIn(lab), unlearnable.answer(lab)]).toEqual([6, 12]);
    expect(unlearnable.solved(lab)).toBe(false);
    const asked = await run(unlearnable, { kappa: 0 });
    expect(unlearnable.solved(asked)).toBe(true);
    expect(said(unlearnable, asked)[2]).toContain("gives up 6 points");
  });

  it("voting and averaging", async () => {
    const lab = await run(voting);
    expect(said(voting, lab)).not.toContain(null);
    expect(voting.solved(lab)).toBe(false);
    expect(voting.solved(await run(voting, { seed: 6, distance: 2 }))).toBe(true);
    // The border of the vote bends: no line predicts alike.
    const points = grid(lab.data.view, 40);
    const one = lab.session.run!;
    const labels = (readout: string) => one.predicted(one.visits, points, readout).map((c) => 2 * c - 1);
    expect(decide({ data: { points, labels: labels("voted") } }).verdict).toBe("inseparable");
    expect(decide({ data: { points, labels: labels("averaged") } }).verdict).toBe("separable");
  });

  it("passive and aggressive", async () => {
    const lab = await run(passive);
    expect(said(passive, lab).map((one) => one !== null)).toEqual([true, true, false]);
    expect([flippedIn(lab), capIn(lab)]).toEqual([2, 100]);
    // A step that is not capped gives its example the score 1, and it is the shortest that does.
    const [course] = lab.session.run!.courses;
    for (let e = 0; e < course.count; e++) {
      if (course.updates.a[e] < 100) expect(course.margin(course.weights(e + 1), course.updates.i[e])).toBeCloseTo(1, 9);
    }
    const capped = await run(passive, { power: -1 });
    expect(said(passive, capped).map((one) => one !== null)).toEqual([false, false, true]);
    expect(longestStep(capped.session.run!)).toBeLessThanOrEqual(0.1);
    expect([passive.solved(lab), passive.solved(capped)]).toEqual([false, true]);
  });

  it("kernels", async () => {
    const [lab, line] = [await run(kernels), await run(kernels, { kernel: "none" })];
    expect(said(kernels, lab).map((one) => one !== null)).toEqual([true, false]);
    expect(said(kernels, line).map((one) => one !== null)).toEqual([false, true]);
    expect([kernels.solved(lab), kernels.solved(line)]).toEqual([false, false]);
    expect(kernels.solved(await run(kernels, { kind: "spirals" }))).toBe(false);
    expect(kernels.solved(await run(kernels, { kind: "spirals", kernel: "gaussian", gamma: 20 }))).toBe(true);
  });

  it("many classes", async () => {
    const lab = await run(classes);
    expect(said(classes, lab)).not.toContain(null);
    expect(errorsOf(lab)).toBe(0);
    expect(classes.solved(lab)).toBe(false);
    expect(classes.solved(await run(classes, { classes: 6, spread: 0.1 }))).toBe(true);
  });

  it("does it generalise", async () => {
    const trial = async (changed = {}) => {
      const lab = await run(fresh, changed);
      await vi.waitFor(() => expect(lab.session.runs.filter((one) => one !== null)).toHaveLength(2));
      return trialOf(lab, draw(like(lab.data.source!)))!;
    };
    const facts = await trial();
    expect(said(fresh, facts).map((one) => one !== null)).toEqual([true, true, false]);
    expect(facts.last.test.at(-1)!).toBeGreaterThan(2 * facts.averaged.test.at(-1)!);
    expect(fresh.solved(facts)).toBe(false);
    const few = await Promise.all([...Array(12).keys()].map((seed) => trial({ n: FEWEST, seed })));
    expect(few.some((one) => fresh.solved(one))).toBe(true);
  });
});

it("every question has an answer before the reader changes anything", async () => {
  const answered = async <S extends Settings, F>(plan: Plan<S, F>) => {
    const lab = await run(plan);
    expect(plan.answer(lab), plan.name).toBeTypeOf("number");
    expect(resultOf(lab)!.updates, plan.name).toBeGreaterThan(0);
  };
  await answered(margin);
  await answered(bias);
  await answered(noline);
  await answered(best);
  await answered(unlearnable);
  await answered(voting);
  await answered(passive);
  await answered(kernels);
  await answered(classes);
  await answered(fresh);
});
