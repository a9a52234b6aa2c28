// What the page learns against what the library learns: journals, counts, weights and scores.
//
// The library runs as it does on a processor that cannot fuse a product with a sum; WebAssembly
// cannot either. What is counted or chosen is equal: visits, examples, rivals, mistakes. Steps,
// weights and scores agree within BOUND, relative to the largest of their kind or to 1: exp and pow
// are JavaScript's, and NumPy adds in another order.
//
// Where a rule lets such differences grow from update to update, or puts examples exactly on a
// boundary of a kernel's space, the first updates are compared.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { engine } from "../src/engine/current";
import { learn } from "../src/engine/learn";
import { ForServer, type Setting } from "../src/engine/plan";
import { Replay } from "../src/engine/replay";
import type { Document, Entries, Registry } from "../src/schema";

const BOUND = 1e-9;
const FIRST = 12; // updates that are compared where rounding decides later ones

interface Case {
  name: string;
  algorithm: string;
  data: string;
  parameters: Record<string, Setting>;
  seed: number;
  start: { coef: number[][]; intercept: number[] } | null;
  refused?: string;
  document: Document;
  scores: number[][];
}

const file = fileURLToPath(new URL("./learned.json", import.meta.url));
const { registry, data, probes, cases } = JSON.parse(readFileSync(file, "utf8")) as {
  registry: Registry;
  data: Record<string, { points: number[][]; labels: number[] }>;
  probes: number[][];
  cases: Case[];
};

function learned({ algorithm: name, data: set, parameters, seed, start }: Case): Document {
  const algorithm = registry.algorithms.find((one) => one.name === name)!;
  return learn(engine(), { ...data[set], algorithm, parameters, seed, start, held: null }, registry.limits, registry.library);
}

/** Numbers of equal places agree; those that are not finite are null. */
function close(mine: unknown, expected: unknown, where: string): void {
  const [a, b] = [[mine].flat(5), [expected].flat(5)] as (number | null)[][];
  expect(a.length, where).toBe(b.length);
  const scale = 1 + Math.max(0, ...b.map((v) => Math.abs(v ?? 0)));
  const wrong = b.findIndex((v, n) => {
    const found = a[n];
    return v === null || found === null ? found !== v : !(Math.abs(found - v) <= BOUND * scale);
  });
  expect(wrong, `${where}, number ${wrong}: ${a[wrong]} is not ${b[wrong]}`).toBe(-1);
}

type Journal = Document | Entries;

/** Whether differences in the last place grow to differences in updates. */
function sensitive({ config: { rule, space } }: Document): boolean {
  return rule === "Thermal" || (space.kind === "kernel" && ["Mira", "PA", "PA1", "PA2"].includes(rule));
}

/** Compare the first updates of a run. */
function compareStart(mine: Journal, expected: Journal): void {
  for (const name of ["t", "i", "r"] as const) expect(mine.updates[name].slice(0, FIRST), name).toEqual(expected.updates[name].slice(0, FIRST));
  for (const name of ["a", "c"] as const) close(mine.updates[name].slice(0, FIRST), expected.updates[name].slice(0, FIRST), name);
}

function compareRun(mine: Journal, expected: Journal): void {
  for (const name of ["t", "i", "r"] as const) expect(mine.updates[name], name).toEqual(expected.updates[name]);
  for (const name of ["a", "c"] as const) close(mine.updates[name], expected.updates[name], name);
  expect(mine.passes).toEqual(expected.passes);
  for (const name of ["t", "k", "mistakes"]) expect(mine.counters[name], name).toBe(expected.counters[name]);
  for (const name of ["ww", "sa"]) close(mine.counters[name], expected.counters[name], name);
  close(mine.start.w, expected.start.w, "start");
  close(mine.start.counters.ww, expected.start.counters.ww, "start");
  expect(mine.data.labels).toEqual(expected.data.labels);
}

describe("learning in the page", () => {
  const refused = cases.filter((one) => one.refused);
  const rest = cases.filter((one) => !one.refused);

  it("knows every member", () => {
    expect(new Set(rest.map((one) => one.algorithm))).toEqual(new Set(registry.algorithms.map((one) => one.name)));
  });

  it.each(refused.map((one) => [one.name, one] as const))("leaves to the server what the library rejects: %s", (_, one) => {
    expect(() => learned(one)).toThrow(ForServer);
  });

  it.each(rest.map((one) => [one.name, one] as const))("%s", (_, one) => {
    const [mine, expected] = [learned(one), one.document];
    const compare = sensitive(expected) ? compareStart : compareRun;
    [expected, ...expected.others].forEach((run, n) => compare([mine, ...mine.others][n], run));
    const { rule, readout, order, problem, drawn, from_zero } = expected.config;
    expect(mine.config).toMatchObject({ rule, readout, order, problem, drawn, from_zero });
    close(Object.values(mine.config.parameters), Object.values(expected.config.parameters).map((v) => (v === null ? null : Number(v))), "parameters");
    close(mine.result.radius, expected.result.radius, "radius");
    if (sensitive(expected)) return;
    const { updates, passes, converged, pass_mistakes, pass_errors } = expected.result;
    expect(mine.result).toMatchObject({ updates, passes, converged, pass_mistakes, pass_errors });
    if (!mine.config.space.kernel) close(mine.result.margin_bracket, expected.result.margin_bracket, "bracket");
    if (expected.result.coef) close([mine.result.coef, mine.result.intercept], [expected.result.coef, expected.result.intercept], "weights");
    const replay = new Replay(mine);
    close(replay.scores(replay.visits, probes), one.scores, "scores");
  });
});
