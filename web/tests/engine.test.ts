// The page's module against the library: calls of its loops, made by runs, are repeated here.
//
// Whole numbers are equal to the bit. Elsewhere sums of products are added in another order than
// native code adds them, or fused, and exp, expm1 and pow are JavaScript's: then numbers that are
// computed agree within BOUND, relative to the largest of their array or to 1. What is counted or
// chosen (visits, examples, rivals, mistakes) is equal always.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { Engine, type Index } from "../src/engine/engine";
import type { Elements, Held } from "../src/engine/memory";
import type { Field, Result, Values } from "../src/engine/record";
import { Calls, type Call, type Kept } from "./calls";
import { average, pocket, survivals, type Learned } from "./readouts_by_loops";

const BOUND = 1e-12;

interface Case {
  name: string;
  calls: Call[];
  read?: { call: Call; readouts: Record<string, number> };
}

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const [MODULE, INDEX, CALLS] = [
  path("../src/engine/rosenblatt.wasm"),
  path("../src/engine/rosenblatt.wasm.json"),
  path("./calls.json"),
];
const there = [MODULE, INDEX, CALLS].every(existsSync);
const { arrays, cases } = (there ? JSON.parse(readFileSync(CALLS, "utf8")) : { arrays: [], cases: [] }) as {
  arrays: Kept[];
  cases: Case[];
};

let engine: Engine;
let index: Index;
let calls: Calls;

/** The array at the end of some places. */
function at(fields: Field[], values: Values, places: number[]): Held {
  const [name, kind] = fields[places[0]];
  if (places.length === 1) return values[name] as Held;
  return at((kind as { fields: Field[] }).fields, values[name] as Values, places.slice(1));
}

const worst = { error: 0, where: "" };

/** Compare from the start on as many elements as are expected. */
function compare(mine: Elements, expected: Elements, exact: boolean, where: string): void {
  if (!(expected instanceof Float64Array)) {
    expect([...mine.subarray(0, expected.length)], where).toEqual([...expected]);
    return;
  }
  const scale = expected.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 1);
  expected.forEach((value, place) => {
    const found = mine[place] as number;
    if (Object.is(found, value)) return;
    const error = Math.abs(found - value) / scale;
    if (error > worst.error) Object.assign(worst, { error, where });
    const what = `${where}, element ${place}: ${found} is not ${value}`;
    expect(!exact && error <= BOUND, what).toBe(true);
  });
}

/** Compare results; `letters` say of each what it is. */
function compareResults(mine: Result, expected: unknown, letters: string, exact: boolean, where: string): void {
  const [found, wanted] = [mine, expected].map((one) => [one].flat(9) as (number | boolean | null)[]);
  [...letters].forEach((letter, at) => {
    if (letter !== "d") expect(found[at], where).toBe(wanted[at]);
    else compare(Float64Array.of(found[at] as number), Float64Array.of(Number(wanted[at])), exact, where);
  });
}

function repeat(call: Call, where: string): Values {
  const { arguments: fields, returns } = index.loops[call.loop];
  const values = calls.values(call);
  const letters = returns.replace(/[()]/g, "");
  const returned = engine.call(call.loop, values);
  compareResults(returned, call.returned, letters, call.exact, `${where}, ${call.loop}, returned`);
  for (const change of call.changed) {
    const places = change.slice(0, -1);
    const mine = at(fields, values, places).values;
    const expected = calls.held(change[places.length]).values;
    compare(mine, expected, call.exact, `${where}, ${call.loop}, array ${places}`);
  }
  return values;
}

describe.skipIf(!there)("the page's module", () => {
  beforeAll(async () => {
    index = JSON.parse(readFileSync(INDEX, "utf8")) as Index;
    engine = await Engine.load(await WebAssembly.compile(readFileSync(MODULE)), index);
    calls = new Calls(engine, index, arrays);
  });

  it("is tried in every loop", () => {
    const tried = new Set(cases.flatMap((one) => one.calls.map((call) => call.loop)));
    const rest = Object.keys(index.loops).filter((name) => !tried.has(name) && !name.startsWith("facts "));
    expect(rest).toEqual([]);
  });

  it.each(cases.map((one) => [one.name, one] as const))("%s", (name, one) => {
    for (const call of one.calls) engine.memory.scope(() => repeat(call, name));
  });

  const read = cases.filter((one) => one.read);
  it.each(read.map((one) => [one.name, one.read!] as const))("%s, read out", (name, { call, readouts }) => {
    engine.memory.scope(() => {
      const before = calls.values(call).h as Held;
      const run = { ...repeat(call, name), before } as unknown as Learned;
      const space = call.loop.split(" ")[1];
      const used = (call.returned as number[])[1];
      const visits = run.visits.size;
      const made: Record<string, () => Elements> = {
        last: () => run.h.values,
        voted: () => survivals(run, used, visits),
        averaged: () => average(engine, space, run, used),
        pocket: () => pocket(engine, space, run, used),
      };
      for (const [readout, expected] of Object.entries(readouts)) {
        compare(made[readout](), calls.held(expected).values, call.exact && readout !== "averaged", `${name}, ${readout}`);
      }
    });
  });

  it("refuses arguments of other kinds", () => {
    const words = engine.memory.array("<u4", [3]);
    const wrong = engine.memory.array("<f8", [3]);
    expect(() => engine.call("shuffle", { words, visits: wrong })).toThrow("visits must be an array");
    expect(() => engine.call("shuffle", { words })).toThrow("visits must be an array");
    expect(() => engine.call("survey Dense", { space: wrong })).toThrow("space must be a record Dense");
    expect(() => engine.call("sort", {})).toThrow('the loop "sort" is not part');
  });

  it("keeps what is in memory that grows", () => {
    engine.memory.scope(() => {
      const kept = engine.memory.array("<f8", [2], [1.5, -2]);
      const large = engine.memory.array("<f8", [1000, 1000]);
      expect([...kept.values]).toEqual([1.5, -2]);
      expect(large.values.length).toBe(1e6);
    });
  });

  it("reports how near it is", () => {
    console.log(`largest difference: ${worst.error.toExponential(1)} of the largest number (${worst.where})`);
  });
});
