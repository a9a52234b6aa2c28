// The page's random numbers and orders against NumPy's and the library's.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { engine } from "../src/engine/current";
import { ORDERS } from "../src/engine/orders";
import { Generator, RandomState } from "../src/engine/random";

interface Stream {
  seed: number;
  seeds: number[];
  moment: number;
  uniform: number[];
  visits: Record<string, number[][][]>;
}

const file = fileURLToPath(new URL("./orders.json", import.meta.url));
const { sizes, streams } = JSON.parse(readFileSync(file, "utf8")) as { sizes: number[]; streams: Stream[] };

describe.each(streams.map((one) => [one.seed, one] as const))("seed %i", (seed, stream) => {
  it("gives the library's seeds of runs", () => {
    const state = new RandomState(seed);
    expect(stream.seeds.map(() => state.seed())).toEqual(stream.seeds);
    expect(state.uniform()).toBe(stream.moment);
  });

  it("gives NumPy's numbers from 0 to 1", () => {
    const random = new Generator(seed);
    expect(stream.uniform.map(() => random.uniform())).toEqual(stream.uniform);
  });

  it.each(Object.keys(stream.visits))("visits in the library's order: %s", (name) => {
    sizes.forEach((examples, n) => {
      const random = new Generator(seed);
      for (const visits of stream.visits[name][n]) {
        expect([...ORDERS[name].draw(examples, random, engine())]).toEqual(visits);
        random.uniform(); // as runs on a budget draw between passes
      }
    });
  });
});

it("knows every order of the library", () => {
  expect(Object.keys(ORDERS)).toEqual(Object.keys(streams[0].visits));
});
